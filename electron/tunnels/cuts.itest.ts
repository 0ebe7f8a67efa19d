import { expect, test } from 'vitest'
import { callLimitMs, cutTunnel } from '../../e2e/chaos/tunnel-cuts.ts'
import { noNamespaces } from '../../e2e/rigs/namespaces.ts'

/** A short walk through what `e2e/chaos/tunnel.ts` does a hundred times. */
test.skipIf(noNamespaces !== undefined)(
  'a tunnel that is reset, silenced and unplugged comes back by itself; no event is lost or doubled, no call hangs',
  async () => {
    const { cuts, doubled, lost, received, slowestCallMs } = await cutTunnel(6)
    expect(cuts.map(({ kind }) => kind)).toEqual([
      ...['reset', 'silence', 'interface down', 'reset', 'silence', 'interface down'],
    ])
    expect(received).toBeGreaterThan(6)
    expect({ doubled, lost }).toEqual({ doubled: [], lost: [] })
    // Twice the limit: a busy computer may be late with a timer, but not by that much.
    expect(slowestCallMs).toBeLessThan(callLimitMs * 2)
  },
  240_000,
)
