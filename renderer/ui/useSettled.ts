import { startTransition, useEffect, useState } from 'react'

/** A value once it has rested: for what would cost more than a frame if it followed every movement of a hand. */
export function useSettled<Value>(value: Value, restMs: number): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setSettled(value)), restMs)
    return () => clearTimeout(timer)
  }, [value, restMs])
  return settled
}
