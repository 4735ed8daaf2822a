import type { ModelView } from '../model/model-view.ts'
import type { NoRequest } from '../rule/request-shape.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { PolicyRule } from '../rule/rule.ts'
import type { GroupsFormat } from './groups-format.ts'
import { withQuery } from './query-rule.ts'
import { createRuleMaker } from './rule-maker.ts'

const noRequest: NoRequest = { kind: 'none' }

/** The groups of a list, where the model declares what may be grouped (`aggregate`). */
export function groupsRules(
  view: ModelView,
  groups: GroupsFormat | undefined,
  noun: string,
  { serializer, parameters }: Pick<ResponseShape, 'serializer' | 'parameters'>,
): readonly PolicyRule[] {
  if (view.model.aggregated.size === 0 || !groups) return []
  const { queryParameters, ...document } = groups
  const response: ResponseShape = {
    ...document,
    status: 200,
    parameters,
    serializer,
    content: 'groups',
    description: `The groups of the ${noun}s`,
  }
  const rule = createRuleMaker({ view }, { groups: queryParameters })
  const path = `/${view.model.plural}/groups`
  return withQuery(rule('GetGroups', { kind: 'groups' }, 'GET', path, noRequest, response))
}
