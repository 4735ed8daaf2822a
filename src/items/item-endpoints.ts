import { memoizeBy } from '../cache/memoize-by.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { ModelEndpoint } from '../pipeline/model-endpoint.ts'
import type { ModelOperation } from '../rule/operations.ts'
import type { Rule } from '../rule/rule.ts'

/** Finds the endpoints of a model by what they do. */
export interface ItemEndpoints {
  /** @throws TypeError if items of the model have no such operation */
  of(model: ModelDescription, operation: ModelOperation): ModelEndpoint
  action(model: ModelDescription, name: string): ModelEndpoint
  resource(
    model: ModelDescription,
    operation: 'GetResource' | 'SetResource' | 'DeleteResource',
    path: string,
  ): ModelEndpoint
}

export function itemEndpoints(endpoints: readonly ModelEndpoint[]): ItemEndpoints {
  const endpointsOf = memoizeBy((model: ModelDescription): readonly ModelEndpoint[] =>
    endpoints.filter((endpoint) => endpoint.model === model),
  )
  const find = (
    model: ModelDescription,
    matches: (rule: Rule) => boolean,
    description: string,
  ): ModelEndpoint => {
    const endpoint = endpointsOf(model).find(({ rule }) => matches(rule))
    if (endpoint) return endpoint
    if (model.isReadOnly)
      throw new TypeError(
        `Clients only read the model '${model.name}' (readOnly), so code cannot write its items in the name of a caller. Omit 'as'.`,
      )
    throw new TypeError(`The model '${model.name}' has no ${description}.`)
  }
  return {
    of: (model, operation) =>
      find(model, (rule) => rule.operation === operation, `operation '${operation}'`),
    action: (model, name) =>
      find(
        model,
        ({ target }) => target.kind === 'action' && target.action.name === name,
        `action '${name}'`,
      ),
    resource: (model, operation, path) =>
      find(
        model,
        ({ operation: ruleOperation, target }) =>
          ruleOperation === operation &&
          target.kind === 'resource' &&
          !target.variant &&
          matchesPath(target.path.segments, stepsOf(model, path)),
        `binary resource at '${path}'`,
      ),
  }
}

/** The first step may be the name of a field in the model. */
function stepsOf({ fieldsByName }: ModelDescription, path: string): readonly string[] {
  const [first, ...others] = path.split('/')
  return [fieldsByName.get(first!)?.wireName ?? first!, ...others]
}

function matchesPath(segments: readonly string[], steps: readonly string[]): boolean {
  return (
    segments.length === steps.length &&
    segments.every((segment, index) =>
      segment === '*' ? /^\d+$/.test(steps[index]!) : segment === steps[index],
    )
  )
}
