import type { CdpParams } from '../cdp.ts'
import type { InspectorSession } from '../session.ts'
import type { DomNode } from './tree.ts'

/** Why a node cannot be changed from here, whoever has control; undefined when it can. */
export function whyFixed(node: DomNode): string | undefined {
  return node.kind === 'pseudo' ? 'it comes from a style' : undefined
}

/** A way to write where the node is: in the page, or in the frame that runs apart. */
function writer(session: InspectorSession, node: DomNode) {
  const frame = session.frameOf(node.sessionId)
  // The connection is an older one's: what the node was has another number by now.
  if (node.sessionId !== undefined && frame === undefined) throw new Error('The frame that it stood in is gone.')
  return (method: string, params: CdpParams = {}) => session.control(method, params, { frame })
}

/** The node as the controlling connection calls it: ids are each connection's own, what is behind them is not. */
async function controlled(session: InspectorSession, node: DomNode) {
  const write = writer(session, node)
  await write('DOM.enable')
  await write('DOM.getDocument', { depth: 0 })
  const { nodeIds } = await write('DOM.pushNodesByBackendIdsToFrontend', { backendNodeIds: [node.backendNodeId] })
  const nodeId = Number((nodeIds as number[])[0])
  return (method: string, params: CdpParams = {}) => write(method, { nodeId, ...params })
}

export async function setAttribute(
  session: InspectorSession,
  node: DomNode,
  name: string,
  value: string,
): Promise<void> {
  const write = await controlled(session, node)
  await write('DOM.setAttributeValue', { name, value })
}

export async function removeAttribute(session: InspectorSession, node: DomNode, name: string): Promise<void> {
  const write = await controlled(session, node)
  await write('DOM.removeAttribute', { name })
}

export async function setText(session: InspectorSession, node: DomNode, value: string): Promise<void> {
  const write = await controlled(session, node)
  await write('DOM.setNodeValue', { value })
}

export async function deleteNode(session: InspectorSession, node: DomNode): Promise<void> {
  const write = await controlled(session, node)
  await write('DOM.removeNode')
}

export async function scrollTo(session: InspectorSession, node: DomNode): Promise<void> {
  const write = writer(session, node)
  await write('DOM.scrollIntoViewIfNeeded', { backendNodeId: node.backendNodeId })
}

/** Makes it what the command line calls `$0`. */
export async function inspect(session: InspectorSession, node: DomNode): Promise<void> {
  const write = await controlled(session, node)
  await write('DOM.setInspectedNode')
}
