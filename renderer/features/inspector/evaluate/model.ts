import { Changing } from '../changing.ts'
import { type Frame, thrownEntry } from '../console/entries.ts'
import { domOf } from '../elements/dom.ts'
import { inspect } from '../elements/edit.ts'
import type { Opened } from '../objects/ObjectView.tsx'
import { piecesText, type RemoteObject, readProperties } from '../objects/remote.ts'
import type { InspectorSession } from '../session.ts'
import { remember } from './history.ts'

export interface Evaluation {
  id: number
  expression: string
  outcome:
    | { kind: 'running'; since: number }
    | { kind: 'value'; object: RemoteObject }
    | { kind: 'thrown'; text: string; stack: readonly Frame[]; object: RemoteObject | null }
    | { kind: 'failed'; text: string }
}

const kept = 200
/** A person stops what takes too long themselves. */
const limitMs = 10 * 60_000
/** Longer than an answer takes on any connection that one can work over. */
const idleAnswerMs = 2500

/** `$0`, unless it is all of a text, as what `replace` is given. */
const namesChosen = /(?<![\w$'"`])\$0(?![\w$])/

/** What was asked of the page, and what it answered. */
export class EvaluateModel extends Changing {
  readonly #session: InspectorSession
  #evaluations: Evaluation[] = []
  #lastId = 0
  #stopped: number | undefined
  readonly opened = new Map<string, Opened>()

  constructor(session: InspectorSession) {
    super()
    this.#session = session
  }

  get evaluations(): readonly Evaluation[] {
    return this.#evaluations
  }

  get running(): boolean {
    return this.#evaluations.at(-1)?.outcome.kind === 'running'
  }

  clear(): void {
    this.#evaluations = this.#evaluations.filter(({ outcome }) => outcome.kind === 'running')
    this.opened.clear()
    this.changed()
  }

  async run(expression: string): Promise<void> {
    remember(this.#session.machineId, expression)
    const id = ++this.#lastId
    this.#evaluations = [
      ...this.#evaluations,
      { id, expression, outcome: { kind: 'running' as const, since: Date.now() } },
    ].slice(-kept)
    this.changed()
    try {
      if (namesChosen.test(expression)) await this.#inspectChosen()
      const object = asObject(expression)
      const asOne = object === undefined ? undefined : await this.#evaluate(object)
      const answer = asOne === undefined || isUnread(asOne) ? await this.#evaluate(expression) : asOne
      this.#settle(id, outcomeOf(answer))
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      // Chromium calls it an internal error.
      this.#settle(id, { kind: 'failed', text: this.#stopped === id ? 'Stopped.' : text })
    }
  }

  /** The browser knows nothing of what was chosen in Elements until it is told; a page that has moved on has forgotten. */
  async #inspectChosen(): Promise<void> {
    const { selected } = domOf(this.#session)
    if (selected === null) return
    if (selected.sessionId !== undefined)
      throw new Error('The chosen element stands in a frame of another site, which code in the page cannot reach.')
    await inspect(this.#session, selected).catch(() => {
      throw new Error('The chosen element is gone. Choose one in Elements again: $0 stands for it.')
    })
  }

  #evaluate(expression: string): Promise<Record<string, unknown>> {
    const params = {
      expression,
      replMode: true,
      includeCommandLineAPI: true,
      awaitPromise: true,
      generatePreview: true,
    }
    return this.#session.control(
      'Runtime.evaluate',
      { ...params, userGesture: true, objectGroup: 'evaluate' },
      { limitMs },
    )
  }

  /** Ends what runs in the page now, whoever started it; what merely waits for something is no longer waited for. */
  async stop(): Promise<void> {
    const last = this.#evaluations.at(-1)
    if (last?.outcome.kind !== 'running') return
    if (await this.#isBusy()) {
      this.#stopped = last.id
      await this.#session.control('Runtime.terminateExecution')
    }
    // An idle page would end the next thing that it begins, which is nobody's here.
    else if (this.#evaluations.at(-1) === last)
      this.#settle(last.id, { kind: 'failed', text: 'No longer waited for. What it began goes on in the page.' })
  }

  /** A page that runs code answers nothing else. */
  #isBusy(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => resolve(true), idleAnswerMs)
      this.#session
        .control('Runtime.evaluate', { expression: '0' })
        .then(() => resolve(false), reject)
        .finally(() => clearTimeout(late))
    })
  }

  async read(objectId: string) {
    const params = { objectId, ownProperties: true, generatePreview: true }
    return readProperties(await this.#session.control('Runtime.getProperties', params))
  }

  #settle(id: number, outcome: Evaluation['outcome']): void {
    this.#evaluations = this.#evaluations.map((one) => (one.id === id ? { ...one, outcome } : one))
    this.changed()
  }
}

/**
 * What looks like an object is meant as one, and not as a block with a label in it. What waits for something is left as
 * it is: it could be run twice.
 */
export function asObject(expression: string): string | undefined {
  const text = expression.trim()
  return /^\{[\s\S]*\}$/.test(text) && !/\bawait\b/.test(text) ? `(${text})` : undefined
}

/** Whether V8 could not even read it. An error of the same name that code threw has calls behind it. */
export function isUnread(answer: Record<string, unknown>): boolean {
  const details = answer['exceptionDetails'] as { exception?: RemoteObject; stackTrace?: unknown } | undefined
  const { className, description = '' } = details?.exception ?? {}
  return className === 'SyntaxError' && details?.stackTrace === undefined && !description.includes('\n    at ')
}

export function outcomeOf(answer: Record<string, unknown>): Evaluation['outcome'] {
  const object = answer['result'] as RemoteObject
  if (answer['exceptionDetails'] === undefined) return { kind: 'value', object }
  const thrown = thrownEntry({ ...answer, timestamp: 0 })
  return {
    kind: 'thrown',
    text: piecesText(thrown.pieces),
    stack: thrown.stack,
    object: object.subtype === 'error' || object.objectId === undefined ? null : object,
  }
}

const models = new WeakMap<InspectorSession, EvaluateModel>()

export function evaluateOf(session: InspectorSession): EvaluateModel {
  const model = models.get(session) ?? new EvaluateModel(session)
  models.set(session, model)
  return model
}
