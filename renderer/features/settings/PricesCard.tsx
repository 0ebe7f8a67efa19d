import { Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useCallback, useEffect, useState } from 'react'
import type { PriceTable } from '../../../shared/domain/power.ts'
import { call } from '../../app/bridge.ts'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Input } from '../../ui/Field.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import styles from './Prices.module.css'
import { type PriceRow, priceRows, readPrices } from './prices.ts'

/** What an hour of each kind of instance costs; the machines' pages count by it. */
export function PricesCard() {
  const [kept, setKept] = useState<PriceTable | null>(null)
  const [rows, setRows] = useState<readonly PriceRow[]>([])
  const busy = useBusy('prices')
  const adopt = useCallback((table: PriceTable) => {
    setKept(table)
    setRows(priceRows(table.usdPerHour))
  }, [])
  useEffect(() => void call('prices.get', {}).then(adopt, () => {}), [adopt])
  if (kept === null) return null
  const { mistakes, usdPerHour } = readPrices(rows)
  const changed = JSON.stringify(rows) !== JSON.stringify(priceRows(kept.usdPerHour))
  const change = (id: number, typed: Partial<PriceRow>) =>
    setRows((now) => now.map((row) => (row.id === id ? { ...row, ...typed } : row)))
  const add = () => setRows((now) => [{ id: Math.max(-1, ...now.map(({ id }) => id)) + 1, type: '', usd: '' }, ...now])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (mistakes.size > 0 || !changed) return
    const asOf = new Date().toISOString().slice(0, 10)
    await work('prices', 'Keeping the prices', async () => adopt(await call('prices.set', { asOf, usdPerHour })))
  }
  return (
    <Card title="Prices on demand" aside={`as of ${kept.asOf}`}>
      <form onSubmit={submit} data-testid="prices">
        <div className={styles.scroller}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Kind of instance</th>
                <th scope="col">Dollars per hour</th>
                <th>
                  <span className="visually-hidden">What can be done</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Line
                  key={row.id}
                  row={row}
                  // An empty line is only begun: it is no mistake before something stands in it.
                  mistake={row.type === '' && row.usd === '' ? undefined : mistakes.get(row.id)}
                  onChange={(typed) => change(row.id, typed)}
                  onRemove={() => setRows((now) => now.filter(({ id }) => id !== row.id))}
                />
              ))}
            </tbody>
          </table>
        </div>
        <div className={styles.end}>
          <Button icon={<Plus size={15} aria-hidden />} data-testid="price-add" onClick={add}>
            Add a kind
          </Button>
          <span className={styles.note}>Linux in us-east-1 to begin with; other regions and contracts differ.</span>
          {changed && (
            <Button variant="ghost" onClick={() => adopt(kept)}>
              Discard
            </Button>
          )}
          <Button
            type="submit"
            variant="primary"
            busy={busy}
            disabled={mistakes.size > 0 || !changed}
            data-testid="prices-save"
          >
            Save
          </Button>
        </div>
      </form>
    </Card>
  )
}

interface LineProps {
  row: PriceRow
  mistake: string | undefined
  onChange: (typed: Partial<PriceRow>) => void
  onRemove: () => void
}

function Line({ row, mistake, onChange, onRemove }: LineProps) {
  const invalid = mistake === undefined ? {} : { 'aria-invalid': true, title: mistake }
  return (
    <tr>
      <td>
        <Input
          {...invalid}
          value={row.type}
          placeholder="t3.large"
          aria-label="Kind of instance"
          onChange={(event) => onChange({ type: event.target.value })}
        />
        {mistake !== undefined && (
          <p className={styles.mistake} role="alert">
            {mistake}
          </p>
        )}
      </td>
      <td>
        <Input
          {...invalid}
          value={row.usd}
          inputMode="decimal"
          aria-label={`Dollars per hour of ${row.type}`}
          data-testid={`price-${row.type}`}
          onChange={(event) => onChange({ usd: event.target.value })}
        />
      </td>
      <td>
        <IconButton
          label={`Remove ${row.type || 'the empty line'}`}
          icon={<Trash2 size={15} aria-hidden />}
          onClick={onRemove}
        />
      </td>
    </tr>
  )
}
