import { z } from 'zod'
import { hostileString } from './hostile-strings.ts'

/** Values that a machine needs to look alive, whatever else it says. */
export type Fixed = Record<string, unknown>

/** Makes values that a schema accepts and whose every free text is hostile. */
export class HostileValues {
  #count = 0

  /** How many hostile strings were made. */
  get count(): number {
    return this.#count
  }

  /** A value for the schema; `fixed` gives the fields, by name, that are not left to chance. */
  of(schema: z.ZodType, fixed: Fixed = {}, key = ''): unknown {
    if (key in fixed) return fixed[key]
    const make = (inner: unknown, name = key) => this.of(inner as z.ZodType, fixed, name)
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
      return make(schema.unwrap())
    if (schema instanceof z.ZodObject)
      return Object.fromEntries(Object.entries(schema.shape).map(([name, field]) => [name, make(field, name)]))
    if (schema instanceof z.ZodArray) return [0, 1, 2].map(() => make(schema.element))
    if (schema instanceof z.ZodRecord) return { [this.#text('')]: make(schema.valueType, '') }
    if (schema instanceof z.ZodUnion) return this.#oneOf(schema.options as z.ZodType[], make)
    if (schema instanceof z.ZodLiteral) return schema.value
    if (schema instanceof z.ZodEnum) return schema.options[this.#count % schema.options.length]
    if (schema instanceof z.ZodBoolean) return this.#count % 2 === 0
    if (schema instanceof z.ZodNumber) return numberFor(schema, this.#count)
    if (schema instanceof z.ZodString) return this.#stringFor(schema, key)
    if (schema instanceof z.ZodTuple) return schema.def.items.map((item) => make(item))
    if (schema instanceof z.ZodNull) return null
    return this.#text(key)
  }

  /** An open enumeration takes any text: now one of its words, now another. */
  #oneOf(options: readonly z.ZodType[], make: (inner: unknown) => unknown): unknown {
    return make(options[this.#count % options.length] ?? options[0])
  }

  #stringFor(schema: z.ZodString, key: string): string {
    const candidates = [this.#text(key), new Date().toISOString(), crypto.randomUUID(), 'a'.repeat(64), 'a', '1.2.3']
    return candidates.find((text) => schema.safeParse(text).success) ?? ''
  }

  #text(key: string): string {
    this.#count++
    // Mostly a time where one belongs, so that what depends on times is shown at all.
    if (/(At|^time|^since|^from|^to|Until)$/.test(key) && this.#count % 4 !== 0)
      return new Date(Date.now() - this.#count * 1000).toISOString()
    return hostileString(this.#count)
  }
}

function numberFor(schema: z.ZodNumber, count: number): number {
  const { minValue, maxValue } = schema
  const low = minValue ?? 0
  const high = maxValue ?? Number.MAX_SAFE_INTEGER
  return [count % 7, low, high].find((value) => schema.safeParse(value).success) ?? 0
}
