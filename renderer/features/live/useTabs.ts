import { useCallback, useEffect, useRef, useState } from 'react'
import type { CallResult } from '../../../shared/contract/index.ts'
import { onIpcEvent } from '../../app/bridge.ts'
import type { LiveClient } from './client.ts'

type Tab = CallResult<'tabs.list'>['tabs'][number]

const none: readonly Tab[] = []

/** The tabs of a machine's browser: asked for when something moved. */
export function useTabs(
  machineId: string,
  client: LiveClient,
  live: boolean,
): { tabs: readonly Tab[]; ask: () => void } {
  const [tabs, setTabs] = useState(none)
  const asked = useRef(0)
  const ask = useCallback(() => {
    const turn = ++asked.current
    client.page('tabs.list', {}).then(
      (answer) => turn === asked.current && setTabs(answer.tabs),
      // A browser that just ended has no tabs; the panel says so.
      () => turn === asked.current && setTabs(none),
    )
  }, [client])
  useEffect(() => {
    if (!live) {
      asked.current++
      setTabs(none)
      return
    }
    ask()
    return onIpcEvent('agent.event', (news) => {
      if (news.machineId === machineId && news.event.type === 'page_navigated') ask()
    })
  }, [machineId, live, ask])
  return { tabs, ask }
}
