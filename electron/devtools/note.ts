import { plainText } from '../plain-text.ts'

/** What the line below the front end says. */
export interface DevToolsNote {
  text: string
  /** `person`: this window changes what it shows; `watching`: it only looks; `lost`: it has no connection. */
  tone: 'person' | 'watching' | 'lost'
  dark: boolean
}

export type DevToolsRole = 'controller' | 'observer'

/** Where the window stands with the page. */
export type DevToolsState =
  | { kind: 'connecting' }
  | { kind: 'open'; role: DevToolsRole; afterLease: boolean }
  | { kind: 'lost'; why: string }
  | { kind: 'gone' }

/** `ending`: the control that this console has ends soon. */
export function noteFor(state: DevToolsState, machine: string, ending: boolean): Omit<DevToolsNote, 'dark'> {
  switch (state.kind) {
    case 'connecting':
      return { text: `Connecting to ${machine}…`, tone: 'watching' }
    case 'open':
      if (state.role === 'controller' && ending)
        return { text: `Control of ${machine} ends within a minute. Go on working here, and it stays.`, tone: 'person' }
      if (state.role === 'controller')
        return { text: `You have control of ${machine}: what is changed here changes the page.`, tone: 'person' }
      return {
        text: `${state.afterLease ? 'Your control has ended. ' : ''}Watching only: nothing here can change the page. Take over ${machine} in the console to change it.`,
        tone: 'watching',
      }
    case 'lost':
      return { text: `No connection to the page: ${plainText(state.why, 120)} Trying again…`, tone: 'lost' }
    case 'gone':
      return { text: 'This page was closed. Open DevTools again from the Inspector of another page.', tone: 'lost' }
  }
}

/** The window's title. The page's own is anything: its control characters stay out, and its length is bounded. */
export function titleFor(page: { title: string; url: string }, machine: string): string {
  const name = plainText(page.title, 80) || plainText(page.url, 80)
  return `DevTools: ${name} (${plainText(machine, 60)})`
}
