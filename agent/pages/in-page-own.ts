/**
 * In every world a form answers with its field of that name before it answers for itself: with a field called `id` or
 * `matches`, which many have, it has no such property. Asked through this it answers as any other element does.
 */
function ownOf<Kind>(node: Kind): Kind {
  if (!(node instanceof HTMLFormElement)) return node
  return new Proxy(node, {
    get(form, name) {
      const value: unknown = Reflect.get(HTMLFormElement.prototype, name, form)
      return typeof value === 'function' ? value.bind(form) : value
    },
  })
}

/** For the functions that run inside pages, under the name by which all of them call it. */
export const ownLibrary = `const own = ${ownOf}`
