import { Fragment } from 'react'
import type { LinkName, MachineView } from '../../../shared/domain/machine.ts'
import { go, type Route } from '../../app/route.ts'
import { StateDot } from '../../ui/StateDot.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { linkFigure, linkLook, linkOrder, linkTitles } from './look.ts'
import styles from './Machine.module.css'

/** The way from this laptop to the browser, link by link: a broken one is seen before it is read about. */
export function Chain({ machine }: { machine: MachineView }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls, these are lights
    <div className={styles.chain} role="group" aria-label="Connection chain" data-testid="chain">
      {linkOrder.map((name, place) => {
        const link = machine.links[name]
        const look = linkLook(name, link, machine)
        const figure = linkFigure(name, machine)
        const before = linkOrder[place - 1]
        const broken = link.state === 'down' || (before !== undefined && machine.links[before].state === 'down')
        return (
          <Fragment key={name}>
            {place > 0 && <span className={styles.between} data-broken={broken ? '' : undefined} aria-hidden />}
            <Tooltip text={link.detail || `${linkTitles[name]}: ${look.word}`}>
              <button
                type="button"
                className={styles.link}
                onClick={() => go(placeOf(name, machine.id))}
                aria-label={`${linkTitles[name]}: ${look.word}. ${link.detail}`}
                data-link={name}
                data-state={link.state}
              >
                <StateDot {...look} />
                {linkTitles[name]}
                <small>{figure ?? (look.word === 'up' ? '' : look.word)}</small>
              </button>
            </Tooltip>
          </Fragment>
        )
      })}
    </div>
  )
}

/** Where one looks after a link: a broken one is mended from there. */
function placeOf(link: LinkName, machineId: string): Route {
  if (link === 'laptop') return { screen: 'settings', section: 'tunnels' }
  const tabs = { tunnel: 'connection', agent: 'overview', docker: 'containers', browser: 'live' } as const
  return { screen: 'machine', machineId, tab: tabs[link] }
}
