/** Whether an answer has no body by what HTTP says of it: with its head all of it is there. */
export function isWithoutBody(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 205 || status === 304
}
