/** Something on the screen that can be pressed, by the name that a screen reader gives it. */
export interface ScreenControl {
  id: string
  title: string
  run: () => void
}

/** Tabs and places have actions of their own, with keys. */
const covered = '[role=tab], nav *'
const pressable = 'button, a[href], [role=button], [role=switch], [role=checkbox], [role=combobox]'

/**
 * Every control of the screen, for the palette: what each row, card and bar offers can so be reached by typing its
 * name, without one of them having to be declared anywhere.
 */
export function controlsOnScreen(root: ParentNode | null = document.querySelector('main')): ScreenControl[] {
  const found = [...(root?.querySelectorAll<HTMLElement>(pressable) ?? [])].filter(
    (control) =>
      !control.matches(covered) &&
      control.getClientRects().length > 0 &&
      control.getAttribute('aria-disabled') !== 'true' &&
      !control.matches(':disabled'),
  )
  const named = found.map((control) => ({ control, name: nameOf(control) })).filter(({ name }) => name !== '')
  const counts = new Map<string, number>()
  for (const { name } of named) counts.set(name, (counts.get(name) ?? 0) + 1)
  return named.map(({ control, name }, place) => ({
    id: `screen:${place}`,
    title: counts.get(name) === 1 ? name : [name, contextOf(control)].filter(Boolean).join(' · '),
    run: () => {
      control.focus()
      control.click()
    },
  }))
}

function nameOf(control: HTMLElement): string {
  const labelled = control.getAttribute('aria-label') ?? control.innerText
  const label = control.id === '' ? null : document.querySelector<HTMLElement>(`label[for="${CSS.escape(control.id)}"]`)
  const name = (label?.innerText ?? labelled).replace(/\s+/g, ' ').trim()
  return control.closest('[role=columnheader]') === null ? name : `Sort by ${name}`
}

/** What stands beside it, where several are called the same. */
function contextOf(control: HTMLElement): string {
  const around = control.closest('[role=row], li, tr, section')
  const title = around?.querySelector<HTMLElement>('strong, b, h2, h3, [role=gridcell], td') ?? around
  return title instanceof HTMLElement ? title.innerText.replace(/\s+/g, ' ').trim().slice(0, 40) : ''
}
