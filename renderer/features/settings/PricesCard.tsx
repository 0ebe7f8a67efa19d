import { type FormEvent, useCallback, useEffect, useState } from 'react'
import type { PriceTable } from '../../../shared/domain/power.ts'
import { call } from '../../app/bridge.ts'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Field, TextArea } from '../../ui/Field.tsx'
import { parsePrices, printPrices } from './prices.ts'
import styles from './Settings.module.css'

/** What an hour of each kind of instance costs; one a line, as people know it. */
export function PricesCard() {
  const [kept, setKept] = useState<PriceTable | null>(null)
  const [typed, setTyped] = useState('')
  const busy = useBusy('prices')
  const adopt = useCallback((table: PriceTable) => {
    setKept(table)
    setTyped(printPrices(table.usdPerHour))
  }, [])
  useEffect(() => void call('prices.get', {}).then(adopt, () => {}), [adopt])
  if (kept === null) return null
  const parsed = parsePrices(typed)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if ('mistake' in parsed) return
    const asOf = new Date().toISOString().slice(0, 10)
    await work('prices', 'Keeping the prices', async () =>
      adopt(await call('prices.set', { asOf, usdPerHour: parsed.usdPerHour })),
    )
  }
  return (
    <Card title="Prices" aside={`as of ${kept.asOf}`}>
      <form onSubmit={submit}>
        <Field label="Dollars per hour, on demand" error={'mistake' in parsed ? parsed.mistake : undefined}>
          {(control) => (
            <TextArea
              {...control}
              rows={6}
              value={typed}
              data-testid="prices"
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <div className={styles.end}>
          <Button type="submit" busy={busy} disabled={'mistake' in parsed || typed === printPrices(kept.usdPerHour)}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  )
}
