/**
 * What must be undone even when a test crashes. A runner that loses patience ends its worker with a signal, and
 * then no `finally` and no exit hook runs: so the signals are listened to as well.
 */
const undo = new Set<() => void>()

function undoAll(): void {
  // Last things first: a mount before the folder it is in, a program before its socket.
  for (const work of [...undo].reverse()) {
    try {
      work()
    } catch {
      // The others must still be undone, and nobody is left to read a complaint.
    }
  }
  undo.clear()
}

let listening = false

/** Does `work`, synchronously, when this process ends in whatever way it can notice; returns the way to call it off. */
export function onProcessEnd(work: () => void): () => void {
  if (!listening) {
    listening = true
    process.on('exit', undoAll)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.once(signal, () => {
        undoAll()
        // No longer listened to by us: unless someone else does, it ends the process now.
        process.kill(process.pid, signal)
      })
    }
  }
  undo.add(work)
  return () => undo.delete(work)
}
