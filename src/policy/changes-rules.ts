import type { ModelView } from '../model/model-view.ts'
import { toPascalCase } from '../model/naming.ts'
import type { Contents } from '../rule/contents.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import type { NoRequest } from '../rule/request-shape.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { PolicyRule } from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { changeSchemas } from './change-schemas.ts'
import { changesResponse } from './changes-response.ts'
import { withQuery } from './query-rule.ts'
import { createRuleMaker } from './rule-maker.ts'

/** How a protocol forms what changed in a list. */
export interface ChangesFormat {
  /** The schema of an item in a change. */
  readonly item: JsonSchema
  /** The document of a page. */
  pageContents(page: JsonSchema): Contents
  readonly parameters: readonly QueryParameter[]
}

const noRequest: NoRequest = { kind: 'none' }

/** What changed in the list of a model, where clients can follow it: in pages, or as events. */
export function changesRules(
  view: ModelView,
  changes: ChangesFormat | undefined,
  { serializer, parameters }: Pick<ResponseShape, 'serializer' | 'parameters'>,
): readonly PolicyRule[] {
  if (!view.hasChangeFeed || !changes) return []
  const response = changesResponse([changeSchemas(view, changes.item)], {
    serializer,
    parameters,
    pageContents: changes.pageContents,
    page: { name: `${toPascalCase(view.model.name)}Changes`, rank: 'part' },
  })
  const rule = createRuleMaker({ view }, { changes: changes.parameters })
  const path = `/${view.model.plural}/changes`
  return withQuery(rule('GetChanges', { kind: 'changes' }, 'GET', path, noRequest, response))
}
