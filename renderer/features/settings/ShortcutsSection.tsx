import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import type { AppInfo } from '../../../shared/ipc.ts'
import type { ConsoleAction } from '../../app/action-kit.ts'
import { nameOf } from '../../app/action-names.ts'
import { actions, currentActions } from '../../app/actions.ts'
import { saveSettings } from '../../app/app.store.ts'
import { mistakeIn } from '../../app/chosen-keys.ts'
import { confirm } from '../../app/ui.store.ts'
import { work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { describeKeys } from '../../ui/keys.ts'
import { SearchField } from '../../ui/SearchField.tsx'
import { toast } from '../../ui/Toast.tsx'
import { ChangeKeys } from './ChangeKeys.tsx'
import styles from './Settings.module.css'

const save = (shortcuts: AppInfo['settings']['shortcuts']) =>
  work('shortcuts', 'Changing the keys', () => saveSettings({ shortcuts }))

/** Every action with its keys, to look up and to change. */
export function ShortcutsSection({ info }: { info: AppInfo }) {
  const { shortcuts: chosen } = info.settings
  const [query, setQuery] = useState('')
  const [changing, setChanging] = useState<ConsoleAction | null>(null)
  const shown = currentActions().filter((action) => matches(action, query))
  const groups = [...new Set(shown.map(({ group }) => group))]
  const count = Object.keys(chosen).length
  const reset = (action: ConsoleAction) => {
    const own = actions.find(({ id }) => id === action.id)?.keys ?? ''
    // Others may have been given them meanwhile.
    const mistake = mistakeIn(own, action, currentActions(), nameOf)
    if (mistake !== null) {
      toast({ title: `${nameOf(action)} keeps the keys that you chose`, detail: mistake, kind: 'problem' })
      return
    }
    const { [action.id]: _gone, ...rest } = chosen
    void save(rest)
  }
  const resetAll = () =>
    confirm({
      title: 'Give every action its own keys again?',
      text: `The keys that you chose for ${count === 1 ? 'one action' : `${count} actions`} are forgotten.`,
      action: 'Reset all',
      run: () => save({}),
    })
  return (
    <>
      <div className={styles.tools}>
        <SearchField
          label="Search the actions"
          placeholder="An action, or its keys"
          value={query}
          onChange={setQuery}
          testId="shortcuts-search"
        />
        <Button disabled={count === 0} onClick={resetAll} data-testid="shortcuts-reset-all">
          Reset all
        </Button>
      </div>
      {shown.length === 0 && <p className={styles.quiet}>No action is called that.</p>}
      {groups.map((group) => (
        <section key={group} className={styles.keysGroup} aria-label={group}>
          <h2 className={styles.groupTitle}>{group}</h2>
          <ul className={styles.rows}>
            {shown
              .filter((action) => action.group === group)
              .map((action) => (
                <li key={action.id} className={styles.keysRow} data-testid={`keys-${action.id}`}>
                  <span className={styles.what}>{nameOf(action)}</span>
                  <Kbd keys={action.keys} />
                  {chosen[action.id] === undefined ? (
                    <span />
                  ) : (
                    <IconButton
                      label={`Reset the keys of ${nameOf(action)}`}
                      icon={<RotateCcw size={14} aria-hidden />}
                      onClick={() => reset(action)}
                    />
                  )}
                  <Button
                    variant="ghost"
                    aria-label={`Change the keys of ${nameOf(action)}`}
                    onClick={() => setChanging(action)}
                  >
                    Change
                  </Button>
                </li>
              ))}
          </ul>
        </section>
      ))}
      <ChangeKeys
        action={changing}
        onClose={() => setChanging(null)}
        onSave={async (action, keys) => {
          const own = actions.find(({ id }) => id === action.id)?.keys
          const { [action.id]: _before, ...rest } = chosen
          if (await save(keys === own ? rest : { ...rest, [action.id]: keys })) setChanging(null)
        }}
      />
    </>
  )
}

function matches(action: ConsoleAction, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const text = `${nameOf(action)} ${action.group} ${describeKeys(action.keys).join(' ')}`.toLowerCase()
  return words.every((word) => text.includes(word))
}
