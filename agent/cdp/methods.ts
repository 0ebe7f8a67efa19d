import { parseJson } from '../../shared/contract/wire.ts'

/** Which commands of Chromium's protocol read, and which of those that look harmless do not. */

export interface Command {
  id: number
  method: string
  params: Record<string, unknown>
  sessionId: string | undefined
}

/** What becomes of a command: passed on, as it stands here, or answered with the reason. */
export type Verdict = { pass: Command } | { refuse: string }

/** Parameters with which a reading command would change something; the sentence says which. */
type Rule = (params: Record<string, unknown>) => string | undefined
const always: Rule = () => undefined

const readers = new Map<string, Rule>(
  Object.entries({
    Accessibility:
      'enable disable getFullAXTree getPartialAXTree getRootAXNode getChildAXNodes getAXNodeAndAncestors queryAXTree',
    Browser: 'getVersion getWindowForTarget getWindowBounds',
    Console: 'enable disable',
    CSS: 'enable disable getComputedStyleForNode getInlineStylesForNode getMatchedStylesForNode getPlatformFontsForNode',
    DOM: 'enable disable describeNode getAttributes getBoxModel getContentQuads getDocument getFlattenedDocument getFrameOwner getNodeForLocation getOuterHTML getTopLayerElements querySelector querySelectorAll requestChildNodes performSearch getSearchResults discardSearchResults pushNodesByBackendIdsToFrontend',
    DOMSnapshot: 'enable disable captureSnapshot',
    Inspector: 'enable disable',
    Log: 'enable disable',
    // A body is what the page was shown anyway. Headers, and with them cookies, are in none of its answers.
    Network: 'enable disable getResponseBody',
    // Painted by the browser over the page, not in it: no node, style or script of the page changes or can tell, and
    // Chromium takes it away when its connection ends. Whoever looks at the screen sees it; that is what it is for.
    // Not here: setInspectMode, which takes the mouse away from the page.
    Overlay: 'enable disable highlightNode hideHighlight',
    Page: 'enable disable getFrameTree getLayoutMetrics getNavigationHistory getResourceTree setLifecycleEventsEnabled stopScreencast screencastFrameAck',
    Performance: 'enable disable getMetrics',
    Runtime: 'enable disable getHeapUsage getIsolateId releaseObject releaseObjectGroup',
    Schema: 'getDomains',
    Security: 'enable disable',
    Target: 'detachFromTarget getTargetInfo getTargets setDiscoverTargets',
  }).flatMap(([domain, names]) => names.split(' ').map((name) => [`${domain}.${name}`, always] as const)),
)

readers.set('Page.captureScreenshot', (params) =>
  // Both make Chromium lay the page out anew for the picture, which the page notices.
  params['clip'] !== undefined || params['captureBeyondViewport'] === true
    ? 'a part of the page, or more than is on the screen, changes the layout'
    : undefined,
)
readers.set('Page.startScreencast', always)
readers.set('Runtime.getProperties', (params) =>
  // Own properties are read as they stand: an accessor is told as its two functions, a proxy as its target. Along the
  // prototype chain, and where only accessors are asked for, V8 may look through objects whose code is the page's.
  params['ownProperties'] === true && params['accessorPropertiesOnly'] !== true
    ? undefined
    : 'only an object\'s own properties can be read without running code of the page ("ownProperties" must be true)',
)
readers.set('Target.attachToTarget', (params) =>
  // Otherwise commands would travel inside other commands, unseen.
  params['flatten'] === true ? undefined : '"flatten" must be true',
)
readers.set('Target.setAutoAttach', (params) => {
  if (params['autoAttach'] === true && params['flatten'] !== true) return '"flatten" must be true'
  return params['waitForDebuggerOnStart'] === true ? '"waitForDebuggerOnStart" would stop new pages' : undefined
})

/**
 * A command as clients write it, in one of the two orders they use, with parameters that have no brace in them.
 *
 * That such a text can be judged without parsing it rests on the braces. The parameters end at the first closing one:
 * a key of the command itself cannot hide before it. What follows is spelled out to the end, so none can hide after
 * it. And were that brace part of a string or of a comment, the text would be no JSON at all, to any reader.
 */
const usualForms = [
  /^\{"id":\d{1,9},"method":"([A-Za-z]+\.[A-Za-z]+)"(?:,"params":\{[^{}]*\})?(?:,"sessionId":"[0-9A-F]{1,64}")?\}$/,
  /^\{"method":"([A-Za-z]+\.[A-Za-z]+)"(?:,"params":\{[^{}]*\})?,"id":\d{1,9}(?:,"sessionId":"[0-9A-F]{1,64}")?\}$/,
]

/** Whether a text is surely a command that reads, whatever its parameters; false says nothing. */
export function surelyReads(text: string): boolean {
  for (const form of usualForms) {
    const method = form.exec(text)?.[1]
    if (method !== undefined) return readers.get(method) === always
  }
  return false
}

/** Reads a message of a client; undefined when it is not a command. By hand: this is done for every single one. */
export function readCommand(text: string): Command | undefined {
  try {
    const { id, method, params, sessionId } = parse(text) as { [Key in keyof Command]?: unknown }
    // Some clients write null where others write nothing, and Chromium takes both.
    const given = params ?? {}
    if (!Number.isInteger(id) || typeof method !== 'string' || !isRecord(given)) return undefined
    if (sessionId !== undefined && typeof sessionId !== 'string') return undefined
    return { id: id as number, method, params: given, sessionId }
  } catch {
    return undefined
  }
}

/** A short text cannot be nested deep enough to hurt, and nearly all are short. */
function parse(text: string): unknown {
  return text.length <= 1024 ? JSON.parse(text) : parseJson(text, 256)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Written anew from what was checked: two readers of one text may differ about a key that stands twice. */
export function writeCommand({ id, method, params, sessionId }: Command): string {
  return JSON.stringify({ id, method, params, sessionId })
}

/** What becomes of a client's text: the command to pass on, or the answer that it gets. */
export function judged(text: string, judge: (command: Command) => Verdict): { pass: string } | { answer: string } {
  const command = readCommand(text)
  if (command === undefined) return { answer: noCommandReply(text) }
  const verdict = judge(command)
  return 'pass' in verdict ? { pass: writeCommand(verdict.pass) } : { answer: errorReply(command, verdict.refuse) }
}

/** What a text is told that is no command, under its number where it has one: its client waits for that. */
function noCommandReply(text: string): string {
  const message = 'That is not a CDP command.'
  try {
    const { id } = parse(text) as { id?: unknown }
    return JSON.stringify({ id: Number.isInteger(id) ? id : undefined, error: { code: -32600, message } })
  } catch {
    return JSON.stringify({ error: { code: -32700, message } })
  }
}

/** Chromium's way to say that a command failed. */
export function errorReply({ id, sessionId }: Command, message: string): string {
  return JSON.stringify({ id, error: { code: -32000, message }, ...(sessionId === undefined ? {} : { sessionId }) })
}

export function judgeObserver(command: Command): Verdict {
  const objection = objectionTo(command)
  if (objection === undefined) return { pass: command }
  return { refuse: `${command.method} is not for observers: ${objection}. Connect as the controller for it.` }
}

/** Answers to what the controller had stopped before the lease: without them the operator's page would hang. */
const letGo = new Set(['Fetch.continueRequest', 'Fetch.continueResponse', 'Fetch.fulfillRequest', 'Fetch.failRequest'])
const alsoWhileHeld = new Set(['Runtime.runIfWaitingForDebugger', 'Fetch.continueWithAuth'])

/** What a controller may still do while `operator` has the lease. */
export function judgeHeld(command: Command, operator: string): Verdict {
  const { method, params } = command
  if (letGo.has(method)) {
    // The request goes on as the operator's page made it, whatever the controller wanted to make of it.
    return { pass: { ...command, method: 'Fetch.continueRequest', params: { requestId: params['requestId'] } } }
  }
  if (alsoWhileHeld.has(method)) return { pass: command }
  if (objectionTo(command) === undefined) return { pass: command }
  return { refuse: `${operator} has control of the browser: ${method} was not passed on. Wait for the hand-back.` }
}

function objectionTo({ method, params }: Command): string | undefined {
  const rule = readers.get(method)
  return rule === undefined ? 'it is not on the list of reading methods' : rule(params)
}
