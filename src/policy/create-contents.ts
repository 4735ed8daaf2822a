import type { Contents } from '../rule/contents.ts'
import type { JsonSchema } from '../schema/json-schema.ts'

/**
 * A body that is the same under each of these media types.
 *
 * ```ts
 * const contents = createContents(['application/json'], { type: 'object' }, () => ({ id: 'dune' }))
 * ```
 *
 * @param example makes a complete body; undefined if there is none
 */
export function createContents(
  mediaTypes: readonly string[],
  schema: JsonSchema,
  example?: () => unknown,
): Contents {
  return () => {
    const value = example?.()
    const content = { schema, ...(value !== undefined && { example: value }) }
    return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, content]))
  }
}
