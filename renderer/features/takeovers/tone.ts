let context: AudioContext | undefined

/** Two short notes, quiet, for whoever has chosen to hear that a person is wanted. */
export function playTone(): void {
  context ??= new AudioContext()
  const { currentTime } = context
  for (const [place, hertz] of [660, 880].entries()) {
    const from = currentTime + place * 0.16
    const note = context.createOscillator()
    const loudness = context.createGain()
    note.frequency.value = hertz
    loudness.gain.setValueAtTime(0, from)
    loudness.gain.linearRampToValueAtTime(0.12, from + 0.02)
    loudness.gain.exponentialRampToValueAtTime(0.001, from + 0.3)
    note.connect(loudness).connect(context.destination)
    note.start(from)
    note.stop(from + 0.32)
  }
}
