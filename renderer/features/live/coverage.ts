/** Knows when drawn pieces have, together, reached every edge of the picture. */
export function coverage(size: () => { width: number; height: number }) {
  let left = Number.POSITIVE_INFINITY
  let top = Number.POSITIVE_INFINITY
  let right = 0
  let bottom = 0
  return {
    add(x: number, y: number, width: number, height: number): void {
      left = Math.min(left, x)
      top = Math.min(top, y)
      right = Math.max(right, x + width)
      bottom = Math.max(bottom, y + height)
    },
    get complete(): boolean {
      const { width, height } = size()
      return width > 0 && height > 0 && left <= 0 && top <= 0 && right >= width && bottom >= height
    },
  }
}
