import { z } from 'zod'
import { defineCall, defineEvent, openEnum, raw } from './define.ts'

/** The whole display: a desktop without a browser, pictures, mouse and keyboard, clipboard, recordings. */

const done = z.object({ ok: z.boolean() })
const acting = ['not-active', 'held-by-operator'] as const

const desktopStates = ['inactive', 'install_required', 'starting', 'active', 'stopping', 'failed'] as const
export type DesktopState = (typeof desktopStates)[number]

export const desktopStatus = z.object({
  state: openEnum(desktopStates),
  display: z.string().nullable(),
  resolution: z.object({ width: z.number().int(), height: z.number().int(), dpi: z.number().int() }).nullable(),
  startedAt: z.string().nullable(),
  missingDependencies: z.array(z.string()),
  installCommand: z.string().nullable(),
  processes: z.array(z.object({ name: z.string(), pid: z.number().int(), running: z.boolean() })),
  lastError: z.object({ code: z.string(), message: z.string() }).nullable(),
})
export type DesktopStatus = z.infer<typeof desktopStatus>

export const startDesktop = defineCall({
  name: 'desktop.start',
  method: 'POST',
  path: '/v1/desktop/start',
  access: 'secret',
  summary: 'Starts a display with a window manager and no browser. Desktop and browser exclude each other.',
  params: () =>
    z.strictObject({
      width: z.int().min(320).max(7680).default(1280),
      height: z.int().min(240).max(4320).default(720),
      dpi: z.int().min(48).max(480).default(96),
    }),
  result: desktopStatus,
  problems: ['already-active', 'desktop-conflict', 'install-required', 'start-failed'],
  audit: 'start',
})

export const stopDesktop = defineCall({
  name: 'desktop.stop',
  method: 'POST',
  path: '/v1/desktop/stop',
  access: 'secret',
  summary: 'Stops the desktop and everything that was started on it.',
  result: () => z.object({ state: openEnum(desktopStates) }),
  audit: 'stop',
  auditSubject: 'desktop',
})

export const getDesktop = defineCall({
  name: 'desktop.status',
  method: 'GET',
  path: '/v1/desktop/status',
  access: 'secret',
  summary: 'The state of the desktop and of its processes.',
  result: desktopStatus,
})

export const desktopEvents = [
  defineEvent('desktop_state', z.object({ state: openEnum(desktopStates), reason: z.string() })),
] as const

export const desktopScreenshot = defineCall({
  name: 'desktop.screenshot',
  method: 'GET',
  path: '/v1/desktop/screenshot',
  access: 'secret',
  summary: 'A picture of the whole display.',
  result: raw('image/png'),
  problems: ['not-active'],
})

export const mouseInput = defineCall({
  name: 'desktop.mouse',
  method: 'POST',
  path: '/v1/desktop/input/mouse',
  access: 'secret',
  summary: 'Moves, presses, releases, clicks or turns the wheel, at a place of the display.',
  params: () =>
    z.strictObject({
      action: z.enum(['move', 'down', 'up', 'click', 'doubleClick', 'wheel']),
      x: z.int().min(0).max(16_383),
      y: z.int().min(0).max(16_383),
      button: z.enum(['left', 'middle', 'right']).default('left'),
      deltaX: z.int().min(-100).max(100).default(0),
      deltaY: z.int().min(-100).max(100).default(0),
    }),
  result: done,
  problems: acting,
  audit: 'act',
})

export const keyboardInput = defineCall({
  name: 'desktop.keyboard',
  method: 'POST',
  path: '/v1/desktop/input/keyboard',
  access: 'secret',
  summary: 'Types a text, or presses a key with its modifiers.',
  params: () =>
    z.strictObject({
      text: z.string().max(10_000).optional(),
      key: z
        .string()
        .max(64)
        .optional()
        .describe('An X keysym name, such as Return, or a character; with + for modifiers'),
    }),
  result: done,
  problems: [...acting, 'invalid-params'],
  audit: 'act',
})

export const getClipboard = defineCall({
  name: 'desktop.getClipboard',
  method: 'GET',
  path: '/v1/desktop/clipboard',
  access: 'secret',
  summary: "The display's clipboard, as text. Only when asked for.",
  result: () => z.object({ text: z.string() }),
  problems: ['not-active', 'conflict'],
})

export const setClipboard = defineCall({
  name: 'desktop.setClipboard',
  method: 'POST',
  path: '/v1/desktop/clipboard',
  access: 'secret',
  summary: "Sets the display's clipboard.",
  params: () =>
    z.strictObject({
      text: z.string().max(500_000),
      append: z.boolean().optional().describe('Behind what was set last: a body holds no more than 1 MiB'),
      leaseId: z.string().max(100).optional().describe('The lease in force, where the caller is its holder'),
    }),
  result: done,
  problems: acting,
  audit: 'act',
  secretParams: ['text'],
})

export const recording = z.object({
  id: z.string(),
  state: openEnum(['recording', 'done', 'failed']),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  durationMs: z.number(),
  sizeBytes: z.number(),
  fps: z.number().int(),
  resolution: z.string(),
  endedBy: z.string().nullable(),
})

export const startRecording = defineCall({
  name: 'desktop.startRecording',
  method: 'POST',
  path: '/v1/desktop/recording/start',
  access: 'secret',
  summary: 'Records the display, until stopped or a limit is reached.',
  params: () => z.strictObject({ fps: z.int().min(1).max(60).optional() }),
  result: recording,
  problems: ['not-active', 'install-required', 'conflict', 'storage-full'],
  audit: 'recording_start',
})

export const stopRecording = defineCall({
  name: 'desktop.stopRecording',
  method: 'POST',
  path: '/v1/desktop/recording/stop',
  access: 'secret',
  summary: 'Ends the recording and closes its file.',
  result: recording,
  problems: ['conflict'],
  audit: 'recording_stop',
  auditSubject: 'film',
})

export const listRecordings = defineCall({
  name: 'desktop.listRecordings',
  method: 'GET',
  path: '/v1/desktop/recordings',
  access: 'secret',
  summary: 'The recordings that are kept.',
  result: () => z.object({ recordings: z.array(recording) }),
})

const recordingId = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'the id of a recording, as their list has it'),
})

export const getRecording = defineCall({
  name: 'desktop.getRecording',
  method: 'GET',
  path: '/v1/desktop/recordings/:id',
  access: 'secret',
  summary: 'The file, with range requests.',
  params: recordingId,
  result: raw('video/mp4'),
  problems: ['not-found'],
})

export const deleteRecording = defineCall({
  name: 'desktop.deleteRecording',
  method: 'DELETE',
  path: '/v1/desktop/recordings/:id',
  access: 'secret',
  summary: 'Deletes a recording.',
  params: recordingId,
  result: done,
  problems: ['not-found', 'conflict'],
  audit: 'recording_stop',
})
