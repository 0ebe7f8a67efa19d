import { useRef, useState } from 'react'

type Acts = Readonly<Record<string, (...args: never[]) => void>>

/**
 * Functions that stay the same however often their owner is drawn, and do what the last drawing meant by them: a part
 * that is given only these is not drawn again because of them.
 */
export function useSteady<Given extends Acts>(acts: Given): Given {
  const latest = useRef(acts)
  latest.current = acts
  const [steady] = useState(
    () =>
      Object.fromEntries(
        Object.keys(acts).map((name) => [name, (...args: never[]) => latest.current[name]?.(...args)]),
      ) as Given,
  )
  return steady
}
