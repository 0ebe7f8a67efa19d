import type { InspectorSession } from '../session.ts'
import type { DomNode } from './tree.ts'

/** Why a node cannot be changed from here, whoever has control; undefined when it can. */
export function whyFixed(node: DomNode): string | undefined {
  if (node.sessionId !== undefined) return 'it is in a frame of another site'
  return node.kind === 'pseudo' ? 'it comes from a style' : undefined
}

/** The node as the controlling connection calls it: ids are each connection's own, what is behind them is not. */
async function controlled(session: InspectorSession, node: DomNode): Promise<number> {
  await session.control('DOM.enable')
  await session.control('DOM.getDocument', { depth: 0 })
  const params = { backendNodeIds: [node.backendNodeId] }
  const { nodeIds } = await session.control('DOM.pushNodesByBackendIdsToFrontend', params)
  return Number((nodeIds as number[])[0])
}

export async function setAttribute(
  session: InspectorSession,
  node: DomNode,
  name: string,
  value: string,
): Promise<void> {
  const nodeId = await controlled(session, node)
  await session.control('DOM.setAttributeValue', { nodeId, name, value })
}

export async function removeAttribute(session: InspectorSession, node: DomNode, name: string): Promise<void> {
  const nodeId = await controlled(session, node)
  await session.control('DOM.removeAttribute', { nodeId, name })
}

export async function setText(session: InspectorSession, node: DomNode, value: string): Promise<void> {
  const nodeId = await controlled(session, node)
  await session.control('DOM.setNodeValue', { nodeId, value })
}

export async function deleteNode(session: InspectorSession, node: DomNode): Promise<void> {
  const nodeId = await controlled(session, node)
  await session.control('DOM.removeNode', { nodeId })
}

export async function scrollTo(session: InspectorSession, node: DomNode): Promise<void> {
  await session.control('DOM.scrollIntoViewIfNeeded', { backendNodeId: node.backendNodeId })
}
