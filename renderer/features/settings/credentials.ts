import type { CredentialVerdict, KeptCredential } from '../../../shared/ipc-settings.ts'
import type { DotLook } from '../../ui/StateDot.tsx'

export const verdictLook: Record<CredentialVerdict['verdict'], DotLook & { word: string }> = {
  good: { tone: 'up', shape: 'round', word: 'Works' },
  refused: { tone: 'broken', shape: 'diamond', word: 'Refused' },
  untested: { tone: 'unknown', shape: 'diamond', word: 'Could not be tested' },
}

/** What is lost with each, and what is not. */
export const removalText: Record<KeptCredential['kind'], string> = {
  agent:
    'This console cannot reach the machine until its secret is entered again. The machine keeps it, and other consoles are not touched.',
  'agent-next': 'The machine goes on with the secret it has. A rotation that was broken off begins anew.',
  aws: 'Machines that are switched on and off with these keys cannot be until keys of this name are entered again. AWS keeps them: delete them there too if nobody needs them.',
  'ssh-passphrase': 'The key stays as it is. Its passphrase is asked for the next time a machine wants the key.',
  pictures:
    'The last pictures of all machines go with it: a machine that cannot be reached stands before an empty ground until it was looked at again.',
  registry: 'New images of this environment are not found where the registry wants a login. The registry keeps it.',
}
