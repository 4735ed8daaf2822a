import type { Contents } from '../rule/contents.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import { component, type JsonSchema } from '../schema/json-schema.ts'
import { unionSchema } from '../schema/union-schema.ts'
import { eventStreamMediaType, eventStreamSerializer } from '../serializer/event-stream.ts'
import { type ChangeSchemas, pageSchema, streamSchema } from './change-schemas.ts'

/** The pages of a protocol. */
export interface ChangesFrame extends Pick<ResponseShape, 'serializer' | 'parameters'> {
  /** The document of a page. */
  pageContents(page: JsonSchema): Contents
  /** The name of the component of a page, and whose it is. */
  readonly page: { readonly name: string; readonly rank: 'part' | 'service' }
}

/** A page of changes of one model or of several, or a stream of them. */
export function changesResponse(
  schemas: readonly ChangeSchemas[],
  { serializer, parameters, pageContents, page: { name, rank } }: ChangesFrame,
): ResponseShape {
  const page = component(name, rank, () => pageSchema(schemas.map(({ change }) => change)))
  const contents = pageContents(page)
  const itemSchema = unionSchema(schemas.map(({ event }) => event))
  return {
    status: 200,
    parameters,
    serializer,
    content: 'changes',
    contents: () => ({
      ...contents(),
      [eventStreamMediaType]: { schema: streamSchema, itemSchema },
    }),
    headers: { 'cache-control': 'always', 'x-accel-buffering': 'sometimes' },
    description: 'What changed, in the order of the changes',
    alternatives: [{ serializer: eventStreamSerializer(serializer) }],
  }
}
