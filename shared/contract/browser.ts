import { z } from 'zod'
import { defineCall, defineSocket, openEnum } from './define.ts'
import { pageEvent } from './page-watching.ts'

/** The machine's one browser, on a display of its own. */

export const browserStates = ['inactive', 'install_required', 'starting', 'active', 'stopping', 'failed'] as const
export type BrowserState = (typeof browserStates)[number]

export const resolutionSchema = z.object({ width: z.number().int(), height: z.number().int(), dpi: z.number().int() })

export const browserStatus = z.object({
  state: openEnum(browserStates),
  display: z.string().nullable(),
  resolution: resolutionSchema.nullable(),
  startedAt: z.string().nullable(),
  cdpUrl: z.string().nullable(),
  url: z.string().nullable(),
  /** Which user-data directory it runs with: what a later start can go on from. */
  contextId: z.string().nullable().optional(),
  missingDependencies: z.array(z.string()),
  installCommand: z.string().nullable(),
  processes: z.array(z.object({ name: z.string(), pid: z.number().int(), running: z.boolean() })),
  lastError: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** When the agent starts a browser again that failed; null where it does not: that browser is gone. */
  restartsAt: z.string().nullable().optional(),
  /** How the picture can be had: RFB through /ws/vnc, or the CDP screencast where there is no display. */
  liveView: openEnum(['vnc', 'screencast', 'none']),
  warnings: z.array(z.string()),
})
export type BrowserStatus = z.infer<typeof browserStatus>

export const startBrowser = defineCall({
  name: 'browser.start',
  method: 'POST',
  path: '/v1/browser/start',
  access: 'secret',
  summary: 'Starts the display, the browser on it and the VNC server.',
  params: () =>
    z.strictObject({
      width: z.int().min(320).max(7680).default(1280),
      height: z.int().min(240).max(4320).default(720),
      dpi: z.int().min(48).max(480).default(96),
      url: z.string().max(8192).default('about:blank'),
      headless: z.boolean().default(false),
      contextId: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'letters, digits, dash and underscore only, 64 at most')
        .optional(),
      recordingFps: z.int().min(1).max(60).default(30),
      streamFrameRate: z.int().min(1).max(60).default(30).describe('Pictures a second of the screencast, at most'),
      provider: z.enum(['chromium', 'adspower']).default('chromium'),
      profileId: z.string().min(1).max(128).optional(),
      // Taken for clients written for a WebRTC streamer; without effect, and the answer's warnings say so.
      streamVideoCodec: z.string().max(64).optional(),
      streamAudioCodec: z.string().max(64).optional(),
      webrtcPortRange: z.string().max(64).optional(),
    }),
  result: browserStatus,
  problems: ['already-active', 'desktop-conflict', 'install-required', 'start-failed', 'invalid-url'],
  audit: 'browser_start',
})

export const stopBrowser = defineCall({
  name: 'browser.stop',
  method: 'POST',
  path: '/v1/browser/stop',
  access: 'secret',
  summary: 'Stops the browser and its display, whatever state they are in.',
  result: () => z.object({ state: openEnum(browserStates) }),
  audit: 'browser_stop',
})

export const getBrowser = defineCall({
  name: 'browser.status',
  method: 'GET',
  path: '/v1/browser/status',
  access: 'secret',
  summary: 'The state of the browser and of its processes.',
  result: browserStatus,
})

const modifiers = z.int().min(0).max(15).default(0).describe('Alt 1, Control 2, Meta 4, Shift 8, added up')
const coordinate = z.number().min(-32768).max(32768)

/** What a controller does where there is no VNC: positions are CSS pixels of the page. */
export const pageInput = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('mouse'),
    event: z.enum(['move', 'down', 'up', 'wheel']),
    x: coordinate,
    y: coordinate,
    button: z.enum(['none', 'left', 'middle', 'right', 'back', 'forward']).default('none'),
    clickCount: z.int().min(0).max(3).default(0),
    deltaX: z.number().default(0),
    deltaY: z.number().default(0),
    modifiers,
  }),
  z.strictObject({
    type: z.literal('key'),
    event: z.enum(['down', 'up']),
    /** As in a DOM KeyboardEvent. */
    key: z.string().max(32),
    code: z.string().max(32).default(''),
    keyCode: z.int().min(0).max(65535).default(0),
    modifiers,
  }),
  z.strictObject({
    type: z.literal('text'),
    text: z.string().max(4096),
    /** Answered with `acted` once the page has it, for whoever sends keys on another way meanwhile. */
    id: z.int().min(0).optional(),
  }),
])
export type PageInput = z.output<typeof pageInput>

export const watch = defineSocket({
  name: 'watch',
  path: '/v1/browser/watch',
  access: 'secret',
  summary:
    'What happens on the pages; on request the page as pictures, for where there is no VNC: each `frame` message is followed by one binary frame, its JPEG.',
  params: () =>
    z.strictObject({
      events: z.boolean().default(true).describe('Console, network, navigation, dialogs, downloads, crashes'),
      screencast: z.boolean().default(false),
      quality: z.int().min(1).max(100).default(60),
      maxWidth: z.int().min(64).max(7680).optional(),
      maxHeight: z.int().min(64).max(4320).optional(),
      leaseId: z.string().max(100).optional().describe('Input is dropped without the lease that is in force'),
    }),
  send: pageInput,
  receive: () =>
    z.union([
      z.object({
        type: z.literal('frame'),
        bytes: z.number().int(),
        /** The size of the page in CSS pixels: what input positions count in. */
        width: z.number(),
        height: z.number(),
        timestamp: z.number(),
      }),
      /** Another tab is shown now, or the tab shown has another address. */
      z.object({ type: z.literal('page'), url: z.string(), title: z.string() }),
      /**
       * The text of that id is in the page, or was dropped. Not taken is what a dialog keeps out: where there is a
       * display, keys reach the dialog itself.
       */
      z.object({ type: z.literal('acted'), id: z.number().int(), taken: z.boolean().optional() }),
      /** Whether this socket's input is let through. */
      z.object({ type: z.literal('control'), held: z.boolean() }),
      pageEvent,
      /** So many events were left out, because this client reads too slowly. */
      z.object({ type: z.literal('dropped'), count: z.number().int() }),
    ]),
  binary: true,
  problems: ['not-active'],
  maxFrameBytes: 32 * 1024,
})
