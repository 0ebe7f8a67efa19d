import { create } from 'zustand'
import { type QualityChoice, qualityChoices } from './quality.ts'

export const scalings = {
  fit: 'Fit the view',
  actual: 'Actual size',
  resize: 'Resize the machine’s display',
} as const
export type Scaling = keyof typeof scalings

export interface ViewChoices {
  scaling: Scaling
  quality: QualityChoice
  /** Latency, frames and bandwidth beside the address. */
  figures: boolean
}

/** Kept in this window's own storage: a habit of the person, not a fact of a machine. */
const storageKey = 'pilothouse.live'
const usual: ViewChoices = { scaling: 'fit', quality: 'auto', figures: false }

export function parseChoices(text: string | null): ViewChoices {
  try {
    const kept = JSON.parse(text ?? '{}') as Partial<Record<keyof ViewChoices, unknown>>
    return {
      scaling: Object.keys(scalings).find((one): one is Scaling => one === kept.scaling) ?? usual.scaling,
      quality: Object.keys(qualityChoices).find((one): one is QualityChoice => one === kept.quality) ?? usual.quality,
      figures: kept.figures === true,
    }
  } catch {
    return usual
  }
}

export const useViewChoices = create<ViewChoices>(() => usual)

export function loadViewChoices(): void {
  useViewChoices.setState(parseChoices(localStorage.getItem(storageKey)))
}

export function choose(changed: Partial<ViewChoices>): void {
  useViewChoices.setState(changed)
  localStorage.setItem(storageKey, JSON.stringify(useViewChoices.getState()))
}
