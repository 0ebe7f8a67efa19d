/** What goes over the wire as an agent's secret: nothing else stands in a header, and the agent reads no space in one. */
export const secretShape = /^[!-~]+$/
