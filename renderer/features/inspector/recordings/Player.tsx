import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { WireProblem } from '../../../../shared/errors.ts'
import { call, problemOf } from '../../../app/bridge.ts'
import { ErrorText } from '../../../ui/ErrorText.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { formatWhen } from '../../../ui/time.ts'
import styles from './Recordings.module.css'
import type { Recording } from './recordings.ts'

interface PlayerProps {
  machineId: string
  recording: Recording
  onClose: () => void
}

/** Plays a film that lies on the machine: main fetches the parts that the player asks for. */
export function Player({ machineId, recording, onClose }: PlayerProps) {
  const [url, setUrl] = useState<string | null>(null)
  const [problem, setProblem] = useState<WireProblem | null>(null)
  useEffect(() => {
    let gone = false
    call('recording.play', { machineId, recordingId: recording.id }).then(
      (granted) => !gone && setUrl(granted.url),
      (error: unknown) => !gone && setProblem(problemOf(error)),
    )
    return () => {
      gone = true
    }
  }, [machineId, recording.id])
  return (
    <section className={styles.player} aria-label="The recording">
      <header>
        <span>
          Recorded at {formatWhen(recording.startedAt)}, {recording.resolution}
        </span>
        <IconButton label="Close the player" icon={<X size={15} aria-hidden />} onClick={onClose} />
      </header>
      {problem !== null && <ErrorText problem={problem} />}
      {url !== null && problem === null && (
        <video
          src={url}
          controls
          autoPlay
          muted
          disablePictureInPicture
          controlsList="nodownload noremoteplayback"
          data-testid="recording-video"
          onError={() => setProblem(cannotPlay)}
        />
      )}
    </section>
  )
}

const cannotPlay: WireProblem = {
  type: 'urn:pilothouse:problem:not-playable',
  title: 'The recording cannot be played',
  status: 0,
  detail: 'It may have been deleted on the machine, or the connection ended. Look again, or save it instead.',
  code: 'not-playable',
}
