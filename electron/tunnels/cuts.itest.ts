import { expect, test } from 'vitest'
import { callLimitMs, cutTunnel } from '../../e2e/chaos/tunnel-cuts.ts'
import { noNamespaces } from '../../e2e/rigs/namespaces.ts'
import { times } from '../../e2e/rigs/soak.ts'

/** A short walk through what `e2e/chaos/tunnel.ts` does a hundred times; in a soak, all of it. */
const rounds = times(1, 34)
test.skipIf(noNamespaces !== undefined)(
  'a tunnel that is reset, silenced and unplugged comes back by itself; no event and no log line is lost or doubled, no call hangs',
  async () => {
    const result = await cutTunnel(rounds * 3)
    const { cuts, doubled, lost, received, logLines, logDoubled, logLost, slowestCallMs } = result
    const each = ['reset', 'silence', 'interface down']
    expect(cuts.map(({ kind }) => kind)).toEqual(Array.from({ length: rounds }, () => each).flat())
    expect(received).toBeGreaterThan(rounds * 3)
    expect(logLines).toBeGreaterThan(100)
    expect({ logDoubled, logLost }).toEqual({ logDoubled: [], logLost: [] })
    expect({ doubled, lost }).toEqual({ doubled: [], lost: [] })
    // Twice the limit: a busy computer may be late with a timer, but not by that much.
    expect(slowestCallMs).toBeLessThan(callLimitMs * 2)
  },
  1_800_000,
)
