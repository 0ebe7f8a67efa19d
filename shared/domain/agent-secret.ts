/** What goes over the wire as an agent's secret: what a header carries, without the spaces that it loses at both ends. */
export const secretShape = /^[!-~](?:[ -~]*[!-~])?$/
