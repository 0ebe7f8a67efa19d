/**
 * Lets go, on the other side, of the keys that are down when the picture loses the focus: noVNC does it
 * when the window does, not when the focus moves within it. Returns the way to stop.
 */
export function releaseKeysOnBlur(canvas: HTMLCanvasElement): () => void {
  const down = new Map<string, string>()
  const pressed = (event: KeyboardEvent) => {
    if (event.isTrusted) down.set(event.code, event.key)
  }
  const released = (event: KeyboardEvent) => down.delete(event.code)
  const blurred = () => {
    for (const [code, key] of [...down]) canvas.dispatchEvent(new KeyboardEvent('keyup', { code, key }))
    down.clear()
  }
  canvas.addEventListener('keydown', pressed, { capture: true })
  canvas.addEventListener('keyup', released, { capture: true })
  canvas.addEventListener('blur', blurred)
  return () => {
    blurred()
    canvas.removeEventListener('keydown', pressed, { capture: true })
    canvas.removeEventListener('keyup', released, { capture: true })
    canvas.removeEventListener('blur', blurred)
  }
}
