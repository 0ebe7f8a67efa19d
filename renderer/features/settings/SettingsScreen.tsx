import { Bell, Database, DollarSign, Info, Keyboard, KeyRound, Route, SlidersHorizontal } from 'lucide-react'
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import type { AppInfo } from '../../../shared/ipc.ts'
import { useApp } from '../../app/app.store.ts'
import { go, type SettingsSection, useRoute } from '../../app/route.ts'
import { CredentialsSection } from './CredentialsSection.tsx'
import { DataSection } from './DataSection.tsx'
import { GeneralSection } from './GeneralSection.tsx'
import { NotificationsSection } from './NotificationsSection.tsx'
import { PricesCard } from './PricesCard.tsx'
import styles from './Settings.module.css'
import { ShortcutsSection } from './ShortcutsSection.tsx'
import { TunnelsSection } from './TunnelsSection.tsx'

const AboutSection = lazy(() => import('./AboutSection.tsx').then((part) => ({ default: part.AboutSection })))

interface Section {
  section: SettingsSection
  title: string
  icon: ReactNode
  Content: ComponentType<{ info: AppInfo }>
}

const sections: readonly Section[] = [
  {
    section: 'general',
    title: 'General',
    icon: <SlidersHorizontal size={15} aria-hidden />,
    Content: GeneralSection,
  },
  {
    section: 'credentials',
    title: 'Credentials',
    icon: <KeyRound size={15} aria-hidden />,
    Content: CredentialsSection,
  },
  { section: 'tunnels', title: 'Tunnels', icon: <Route size={15} aria-hidden />, Content: TunnelsSection },
  { section: 'shortcuts', title: 'Shortcuts', icon: <Keyboard size={15} aria-hidden />, Content: ShortcutsSection },
  {
    section: 'notifications',
    title: 'Notifications',
    icon: <Bell size={15} aria-hidden />,
    Content: NotificationsSection,
  },
  { section: 'prices', title: 'Prices', icon: <DollarSign size={15} aria-hidden />, Content: PricesCard },
  { section: 'data', title: 'Data', icon: <Database size={15} aria-hidden />, Content: DataSection },
  { section: 'about', title: 'About', icon: <Info size={15} aria-hidden />, Content: AboutSection },
]

/** What a person can choose, what is kept for them, and what this console is. */
export function SettingsScreen() {
  const info = useApp((state) => state.info)
  const route = useRoute((state) => state.route)
  if (info === null) return <div role="status" aria-label="Reading the settings" />
  const wanted = (route.screen === 'settings' && route.section) || 'general'
  const shown = sections.find(({ section }) => section === wanted)
  return (
    <div className={styles.screen}>
      <nav className={styles.sections} aria-label="Settings">
        {sections.map(({ section, title, icon }) => (
          <button
            key={section}
            type="button"
            className={styles.section}
            aria-current={section === wanted ? 'page' : undefined}
            data-testid={`settings-${section}`}
            onClick={() => go({ screen: 'settings', section })}
          >
            {icon}
            {title}
          </button>
        ))}
      </nav>
      <div className={styles.settings} data-section={wanted}>
        <Suspense>{shown !== undefined && <shown.Content info={info} />}</Suspense>
      </div>
    </div>
  )
}
