/** The part of noVNC that the live view uses. */
declare module '@novnc/novnc' {
  export interface RfbChannel {
    readyState: string
    binaryType: string
    protocol: string
    onopen: (() => void) | null
    onmessage: ((event: { data: ArrayBuffer | Uint8Array }) => void) | null
    onclose: ((event: { code: number; reason: string }) => void) | null
    onerror: ((event: unknown) => void) | null
    send(data: Uint8Array): void
    close(): void
  }

  export interface RfbEvents {
    connect: CustomEvent<Record<string, never>>
    disconnect: CustomEvent<{ clean: boolean }>
    securityfailure: CustomEvent<{ status: number; reason?: string }>
    credentialsrequired: CustomEvent<{ types: string[] }>
  }

  export default class RFB {
    constructor(target: HTMLElement, channel: RfbChannel, options?: { shared?: boolean })
    viewOnly: boolean
    scaleViewport: boolean
    /** Asks the server to take the size of the view. */
    resizeSession: boolean
    focusOnClick: boolean
    background: string
    qualityLevel: number
    compressionLevel: number
    addEventListener<Name extends keyof RfbEvents>(name: Name, listener: (event: RfbEvents[Name]) => void): void
    disconnect(): void
    sendKey(keysym: number, code: string | null, down?: boolean): void
    focus(options?: FocusOptions): void
  }
}
