import crypto from 'ssh2/lib/protocol/crypto.js'

/** Whether ssh2's ciphers run in native code; in a packaged console they are plain JavaScript. */
export const sshNative: boolean = crypto.bindingAvailable
