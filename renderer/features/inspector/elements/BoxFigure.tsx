import styles from './Elements.module.css'

/** The four sides of something, in CSS pixels. */
type Sides = readonly [top: number, right: number, bottom: number, left: number]

export interface Box {
  width: number
  height: number
  x: number
  y: number
  margin: Sides
  border: Sides
  padding: Sides
}

/** Chromium tells each box by its four corners; the space between two of them is what lies between. */
export function readBox(model: Record<string, unknown>): Box {
  const edges = (name: string) => {
    const quad = (model[name] as number[] | undefined) ?? []
    const [xs, ys] = [quad.filter((_, at) => at % 2 === 0), quad.filter((_, at) => at % 2 === 1)]
    return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
  }
  type Edges = ReturnType<typeof edges>
  const between = (outer: Edges, inner: Edges): Sides => [
    inner.top - outer.top,
    outer.right - inner.right,
    outer.bottom - inner.bottom,
    inner.left - outer.left,
  ]
  const [margin, border, padding, content] = [edges('margin'), edges('border'), edges('padding'), edges('content')]
  return {
    width: content.right - content.left,
    height: content.bottom - content.top,
    x: border.left,
    y: border.top,
    margin: between(margin, border),
    border: between(border, padding),
    padding: between(padding, content),
  }
}

const number = (value: number) => (Math.abs(value) < 0.05 ? '–' : String(Math.round(value * 10) / 10))

/** Box in box, with what is between them. */
export function BoxFigure({ box }: { box: Box }) {
  const rings = [
    ['margin', box.margin],
    ['border', box.border],
    ['padding', box.padding],
  ] as const
  const content = (
    <span className={styles.content} data-testid="box-size">
      {number(box.width)} × {number(box.height)}
    </span>
  )
  return (
    <>
      {rings.reduceRight(
        (inside, [name, [top, right, bottom, left]]) => (
          <div key={name} className={styles.ring} data-ring={name}>
            <small>{name}</small>
            <span>{number(top)}</span>
            <div>
              <span>{number(left)}</span>
              {inside}
              <span>{number(right)}</span>
            </div>
            <span>{number(bottom)}</span>
          </div>
        ),
        content,
      )}
      <p className={styles.none}>
        at {number(box.x)}, {number(box.y)}
      </p>
    </>
  )
}
