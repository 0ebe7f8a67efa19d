import os from 'node:os'
import { type Settings, settingsSchema } from '../shared/ipc.ts'
import type { Store } from './store/store.ts'

/** The person's choices. What cannot be read falls back to the default, one value at a time. */
export class SettingsKeeper {
  readonly #store: Pick<Store, 'settings'>
  readonly #onChange: (settings: Settings) => void
  #current: Settings

  constructor(store: Pick<Store, 'settings'>, onChange: (settings: Settings) => void) {
    this.#store = store
    this.#onChange = onChange
    this.#current = {
      ...{ theme: 'system', operator: defaultOperator() },
      ...{ leaseMinutes: 5, takeoverSound: false },
      ...{ copyOnSelect: false, screenReader: false },
      notifications: { takeovers: false, deploys: false, lost: false, sound: false },
      shortcuts: {},
    }
    for (const key of Object.keys(settingsSchema.shape) as (keyof Settings)[]) {
      const checked = settingsSchema.shape[key].safeParse(store.settings.get(key))
      if (checked.success) this.#current = { ...this.#current, [key]: checked.data }
    }
  }

  get current(): Settings {
    return this.#current
  }

  change(changes: { [Key in keyof Settings]?: Settings[Key] | undefined }): Settings {
    for (const [key, value] of Object.entries(changes)) {
      if (value === undefined) continue
      this.#store.settings.set(key, value)
      this.#current = { ...this.#current, [key]: value }
    }
    this.#onChange(this.#current)
    return this.#current
  }
}

function defaultOperator(): string {
  try {
    return os.userInfo().username || 'operator'
  } catch {
    return 'operator'
  }
}
