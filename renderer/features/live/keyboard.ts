import styles from './live.module.css'

/** Where someone types or chooses. The picture's own field is not meant. */
const fields = 'input, textarea:not([data-machine-keys]), select, [contenteditable], [role=combobox], [role=option]'
/** What is open over the rest; one that is just closing, and a toast, are not. */
const popups = ':is([role=dialog], [role=alertdialog], [role=menu])[data-open]'

/** Whether someone types or chooses something outside the picture: no place to take the keyboard away from. */
export function isAtWork(): boolean {
  if (document.querySelector(popups) !== null) return true
  const active = document.activeElement
  return active?.matches(fields) === true && active.closest('[data-closed]') === null
}

/** Whoever presses no key for so long has seen that nothing takes them. */
const pauseMs = 1500

/**
 * The keyboard between two pictures. The next one gets it when control was just taken, or when the one before had it
 * and nobody has gone elsewhere since. Until then a stand-in has it: what is typed to a picture that broke off is lost,
 * and must not be taken for the console's own keys.
 */
export class PictureKeyboard {
  readonly #stage: HTMLElement
  #owed: 'taken' | 'kept' | null = null
  #standIn: HTMLElement | null = null
  /** Runs while keys go nowhere, for who was in the middle of typing. */
  #pause: ReturnType<typeof setTimeout> | undefined

  constructor(stage: HTMLElement) {
    this.#stage = stage
  }

  /** A person asked for the picture, and means its keys. */
  ask(): void {
    this.#owed = 'taken'
  }

  /** The picture is about to end, and another one is to follow. */
  keep(): void {
    if (!this.#stage.contains(document.activeElement)) return
    this.#owed = 'kept'
    this.#stand('Keys wait for the picture')
  }

  /**
   * Control ends, and nobody asked for that: the rest of the word, or of a password, must neither be taken for the
   * console's own keys nor be typed into what those open. Keys go nowhere until there was a pause.
   */
  hush(): void {
    if (!this.#stage.contains(document.activeElement)) return
    this.#stand('Control has ended, and keys go nowhere')
    this.#awaitPause()
  }

  #awaitPause(): void {
    clearTimeout(this.#pause)
    this.#pause = setTimeout(() => this.#end(), pauseMs)
  }

  #stand(label: string): void {
    this.#standIn?.setAttribute('aria-label', label)
    if (this.#standIn !== null) return
    const standIn = document.createElement('div')
    standIn.className = styles['typing'] ?? ''
    standIn.dataset['machineKeys'] = ''
    standIn.setAttribute('role', 'group')
    standIn.setAttribute('aria-label', label)
    standIn.tabIndex = -1
    standIn.addEventListener('keydown', () => {
      if (this.#pause !== undefined) this.#awaitPause()
    })
    this.#stage.append(standIn)
    standIn.focus({ preventScroll: true })
    this.#standIn = standIn
  }

  /** No picture is on its way: keys are the console's. */
  letGo(): void {
    if (this.#pause === undefined) this.#end()
  }

  #end(): void {
    clearTimeout(this.#pause)
    this.#pause = undefined
    this.#standIn?.remove()
    this.#standIn = null
  }

  /** Control is gone, and with it what was asked for. */
  forget(): void {
    this.#owed = null
    this.letGo()
  }

  /** The picture is there: `focus` gives it the keyboard, where that is owed and nobody is at work elsewhere. */
  give(focus: () => void): void {
    clearTimeout(this.#pause)
    this.#pause = undefined
    const active = document.activeElement
    const stayed = active === null || active === document.body || active === this.#standIn
    if ((this.#owed === 'taken' || (this.#owed === 'kept' && stayed)) && !isAtWork()) focus()
    this.forget()
  }

  dispose(): void {
    this.#owed = null
    this.#end()
  }
}
