import type { z } from 'zod'
import { echoAudit, listAudit, verifyAudit } from './audit.ts'
import { getBrowser, startBrowser, stopBrowser, watch } from './browser.ts'
import { cdp, cdpList, cdpPage, cdpVersion, cutCdpClient, listCdpClients } from './cdp.ts'
import { exec, execSocket, terminalSocket } from './commands.ts'
import { createContext, deleteContext, deleteCookies, listContexts, listCookies, setCookie } from './contexts.ts'
import type { ParamsIn, ParamsOut, ReceiveOf, ResultIn, ResultOf, SendOf } from './define.ts'
import { build, cancelDeploy, deploy, drain, listDeploys, rollback } from './deploys.ts'
import {
  deleteRecording,
  desktopScreenshot,
  getClipboard,
  getDesktop,
  getRecording,
  keyboardInput,
  listRecordings,
  mouseInput,
  setClipboard,
  startDesktop,
  startRecording,
  stopDesktop,
  stopRecording,
} from './desktop.ts'
import { containerStats, listContainers, restartContainer, startContainer, stopContainer } from './docker.ts'
import { engineCalls } from './engines.ts'
import { deleteEnv, getEnv, revealEnv, setEnv } from './env.ts'
import { events, eventsSocket } from './events.ts'
import { jobCalls } from './jobs.ts'
import { getLogs, logsSocket } from './logs.ts'
import {
  createTicket,
  health,
  metrics,
  openapi,
  refreshSecrets,
  rotateSecret,
  screenshot,
  shutdown,
  status,
  version,
} from './machine.ts'
import { metricsHistory } from './metrics-history.ts'
import { click, dialog, hover, scroll, select, type, upload, uploads } from './page-acting.ts'
import { activateTab, back, closeTab, forward, listTabs, navigate, openTab, reload, wait } from './page-going.ts'
import { content, crawl, execute, links, markdown, pageScreenshot, pdf, scrape, snapshot } from './page-reading.ts'
import { consoleMessages, networkRequests } from './page-watching.ts'
import { getTakeover, handBack, renewLease, takeLease, takeoverRequestCalls, vnc } from './takeover.ts'
import { timelineCalls } from './timeline.ts'
import { drainWorker, listWorkers, startWorker, stopWorker } from './workers.ts'

/** The whole API on one page. What is not here does not exist. */

export const calls = [
  health,
  version,
  metrics,
  metricsHistory,
  status,
  openapi,
  createTicket,
  shutdown,
  rotateSecret,
  refreshSecrets,
  screenshot,

  getEnv,
  setEnv,
  deleteEnv,
  revealEnv,

  exec,

  getLogs,

  listContainers,
  containerStats,
  restartContainer,
  stopContainer,
  startContainer,

  deploy,
  rollback,
  cancelDeploy,
  listDeploys,
  build,
  drain,

  listWorkers,
  startWorker,
  stopWorker,
  drainWorker,

  listAudit,
  verifyAudit,
  echoAudit,

  startBrowser,
  stopBrowser,
  getBrowser,

  navigate,
  back,
  forward,
  reload,
  wait,
  listTabs,
  openTab,
  activateTab,
  closeTab,
  pageScreenshot,
  pdf,
  content,
  markdown,
  scrape,
  links,
  execute,
  snapshot,
  click,
  type,
  select,
  hover,
  scroll,
  upload,
  uploads,
  dialog,
  consoleMessages,
  networkRequests,
  crawl,

  listContexts,
  createContext,
  deleteContext,
  listCookies,
  setCookie,
  deleteCookies,

  cdpVersion,
  cdpList,
  listCdpClients,
  cutCdpClient,

  startDesktop,
  stopDesktop,
  getDesktop,
  desktopScreenshot,
  mouseInput,
  keyboardInput,
  getClipboard,
  setClipboard,
  startRecording,
  stopRecording,
  listRecordings,
  getRecording,
  deleteRecording,

  getTakeover,
  takeLease,
  renewLease,
  handBack,
  ...takeoverRequestCalls,

  ...engineCalls,
  ...jobCalls,

  ...timelineCalls,
] as const

export const sockets = [eventsSocket, vnc, watch, execSocket, terminalSocket, logsSocket, cdp, cdpPage] as const

export { events }

type ByName<Item extends { name: string }> = { [I in Item as I['name']]: I }
export type Calls = ByName<(typeof calls)[number]>
export type CallName = keyof Calls
export type CallParams<Name extends CallName> = ParamsIn<Calls[Name]>
export type CallParamsOut<Name extends CallName> = ParamsOut<Calls[Name]>
export type CallResult<Name extends CallName> = ResultOf<Calls[Name]>
export type CallResultIn<Name extends CallName> = ResultIn<Calls[Name]>

export type Sockets = ByName<(typeof sockets)[number]>
export type SocketName = keyof Sockets
export type SocketParams<Name extends SocketName> = ParamsIn<Sockets[Name]>
export type SocketParamsOut<Name extends SocketName> = ParamsOut<Sockets[Name]>
export type SocketSend<Name extends SocketName> = SendOf<Sockets[Name]>
export type SocketReceive<Name extends SocketName> = ReceiveOf<Sockets[Name]>

export type EventData = { [E in (typeof events)[number] as E['type']]: z.output<E['data']> }
export type EventType = keyof EventData
export type AgentEvent = {
  [Type in EventType]: { seq: number; time: string; type: Type } & EventData[Type]
}[EventType]

export const callsByName = Object.fromEntries(calls.map((call) => [call.name, call])) as unknown as Calls
export const socketsByName = Object.fromEntries(sockets.map((socket) => [socket.name, socket])) as unknown as Sockets

/** The version both ends carry; console and agent are released together. */
export const contractVersion = '0.1.0'
