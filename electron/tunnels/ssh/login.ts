import type { AnyAuthMethod, AuthenticationType, NextAuthHandler } from 'ssh2'
import { Problem } from '../../../shared/errors.ts'
import type { Prompts } from '../prompts.ts'
import type { Identities } from './identities.ts'
import { OfferedKeys } from './offered-keys.ts'
import type { SshHost } from './resolve-host.ts'

/** How often a person may answer wrongly before the machine counts as closed to them. */
const maxAnswers = 3
/** Rounds of questions in one connection: a password that has run out takes four, and no honest server takes many. */
const maxRounds = 12
/** A server's questions are shown as text; more than this is not a question. */
const maxQuestionChars = 500

export interface LoginDeps {
  prompts: Pick<Prompts, 'ask'>
  identities: Identities
  /** While a person thinks, no time limit runs. */
  waitingForPerson: <Result>(work: Promise<Result>) => Promise<Result>
  signal: AbortSignal
  /** Nothing more is to be said to the server: ends the connection, with `problem()` as the reason. */
  giveUp: () => void
}

/** The ways to log in, one after the other as the server allows them: keys first, then a person's own answers. */
export class Login {
  readonly #host: SshHost
  readonly #deps: LoginDeps
  readonly #keys: OfferedKeys
  #asked = false
  #keysTried = false
  #answers = 0
  #rounds = 0
  #declined = false
  #methods: readonly string[] = []

  constructor(host: SshHost, deps: LoginDeps) {
    this.#host = host
    this.#deps = deps
    this.#keys = new OfferedKeys(host, deps.identities, deps.waitingForPerson)
  }

  /** ssh2 asks this for each next try; `false` ends it. */
  readonly next = (left: AuthenticationType[] | null, _partial: boolean | null, go: NextAuthHandler): void => {
    if (left !== null) this.#methods = left
    this.#next(go).catch(() => go(false as never))
  }

  async #next(go: NextAuthHandler): Promise<void> {
    const { user: username } = this.#host
    const allowed = (method: string) => this.#methods.includes(method)
    if (!this.#asked) {
      this.#asked = true
      // Lets nobody in; its answer says which methods the server has.
      return go({ type: 'none', username })
    }
    if (!this.#keysTried && allowed('publickey')) {
      this.#keysTried = true
      return go({ type: 'agent', username, agent: this.#keys } as AnyAuthMethod)
    }
    if (this.#declined || this.#answers >= maxAnswers) return go(false as never)
    if (allowed('keyboard-interactive')) {
      this.#answers++
      return go({
        type: 'keyboard-interactive',
        username,
        prompt: (name, instructions, _language, prompts, finish) => {
          if (++this.#rounds > maxRounds) return this.#deps.giveUp()
          const questions = prompts.map(({ prompt, echo }) => ({ text: tame(prompt), echo: echo === true }))
          void this.#askPerson([name, instructions].map(tame).filter(Boolean).join(' · '), questions).then(
            // No answers at all would be a wrong number of them, for which a server just hangs up.
            (answers) => (answers === undefined ? this.#deps.giveUp() : finish(answers)),
          )
        },
      })
    }
    if (allowed('password')) {
      this.#answers++
      const answers = await this.#askPerson('', [{ text: `Password of ${username}`, echo: false }])
      const password = answers?.[0]
      if (password !== undefined) return go({ type: 'password', username, password })
    }
    return go(false as never)
  }

  /** Why nobody was let in, with the next step. */
  problem(): Problem {
    const who = `${this.#host.user} at ${this.#host.alias}`
    const keys = this.#keys
    const locked = keys.unopened.length > 0 ? ` ${keys.unopened.join(', ')} stayed locked.` : ''
    if (this.#declined)
      return new Problem('ssh-auth-failed', `The login of ${who} was cancelled. Check it again to go on.`)
    if (this.#rounds > maxRounds)
      return new Problem(
        'ssh-auth-failed',
        `${this.#host.alias} goes on asking questions without letting ${this.#host.user} in. Check its PAM configuration.`,
      )
    if (this.#answers > 0)
      return new Problem(
        'ssh-auth-failed',
        `The login of ${who} was refused: what was typed is not what it wants. Check it again to go on.`,
      )
    const offered =
      keys.offered === 0
        ? 'There was no key to offer: start an SSH agent, or name an IdentityFile in the SSH configuration.'
        : `None of ${keys.offered} offered ${keys.offered === 1 ? 'key' : 'keys'} is let in: add one to its authorized_keys, or name the right user or IdentityFile.`
    const more =
      keys.unusable.length === 0
        ? ''
        : ` The SSH agent also has ${keys.unusable.join(', ')}, which the console cannot use: it knows neither certificates nor keys in hardware.`
    return new Problem('ssh-auth-failed', `The login of ${who} was refused.${locked} ${offered}${more}`)
  }

  async #askPerson(note: string, questions: { text: string; echo: boolean }[]): Promise<string[] | undefined> {
    const { user, alias } = this.#host
    const says = await this.#deps.waitingForPerson(
      this.#deps.prompts.ask(
        `login ${user}@${alias}:${this.#host.port}`,
        {
          kind: 'keyboard-interactive',
          title: `${alias} asks ${user}`,
          host: alias,
          note: note === '' ? null : note,
          questions,
        },
        this.#deps.signal,
      ),
    )
    if (says.kind === 'answered') return says.answers
    this.#declined = true
    return undefined
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g

/** What a server says is shown to a person: one line, without anything that could act. */
function tame(text: string): string {
  return text.replace(unprintable, ' ').trim().slice(0, maxQuestionChars)
}
