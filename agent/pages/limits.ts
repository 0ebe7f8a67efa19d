/** How long the calls may take that are not told how long. */
export interface PageLimits {
  /** Loading a page. */
  loadMs: number
  /** Reading it. */
  readMs: number
  /** Reading what takes longer: a PDF, or a page that is loaded first. */
  longMs: number
  /** Chromium closes a tab that asks whether it may be left only once that is answered. */
  closeMs: number
}

export const usualLimits: PageLimits = { loadMs: 25_000, readMs: 15_000, longMs: 25_000, closeMs: 10_000 }
