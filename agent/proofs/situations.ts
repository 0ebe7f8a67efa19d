import { browserSituations } from './browser-situations.ts'
import { engineSituations } from './engine-situations.ts'
import { pageSituations } from './page-situations.ts'
import type { Situation } from './situation.ts'

/** In the order in which they disturb each other least. */
export const situations: readonly Situation[] = [...pageSituations, ...browserSituations, ...engineSituations]
