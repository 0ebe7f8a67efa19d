import { Problem } from '../errors.ts'

const closed = 'The connection was closed before an answer came: the agent may have ended, or something cuts the way.'
const noWay = 'There is no way to that address from this network. Is a VPN or a tailnet missing?'

/** What the system says about a connection, in words a person on call can do something with. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'Nothing listens there: the agent is not running, or it is behind another port. Start it, or change the way.',
  ECONNRESET: closed,
  EPIPE: closed,
  ENOENT: 'The agent’s socket is not there: the agent is not running. Start it, or change the way.',
  ETIMEDOUT: 'Nothing answered at that address in time. Is the machine on, and may this computer reach it?',
  EHOSTUNREACH: noWay,
  ENETUNREACH: noWay,
  ENOTFOUND: 'Nobody knows that host name here. Correct it, or connect to the network that does.',
  EAI_AGAIN: 'The host name could not be looked up. Is this computer online?',
}

/** Node’s parser found no HTTP. An end in the middle is none of these: that connection was cut. */
const notHttp = /^HPE_(?!INVALID_EOF_STATE$)/
const otherServer =
  'What answers there is no agent: it does not speak HTTP. Is that the port of something else, such as an SSH server? Change the way.'

/** A call that did not arrive, as a problem; the system’s own words stand behind ours. */
export function unreachable(error: unknown): Problem {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (notHttp.test(code)) return new Problem('bad-answer', otherServer, {}, { cause: error })
  const plain = words[code]
  if (error instanceof Problem || !(error instanceof Error) || plain === undefined) {
    return Problem.from(error, 'unreachable')
  }
  return new Problem('unreachable', `${plain} (${error.message})`, {}, { cause: error })
}
