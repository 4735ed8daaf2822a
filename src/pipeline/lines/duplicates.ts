import { memoizeBy } from '../../cache/memoize-by.ts'
import { guardPath } from '../../context/guard-plan.ts'
import type { ValueField } from '../../model/model-description.ts'
import { isReadable, type ModelView } from '../../model/model-view.ts'
import { isScalar } from '../../model/value-type.ts'
import { allOf, idEquals, mapPaths, toFieldPath } from '../../query/conditions.ts'
import type { Condition, Scalar } from '../../query/query-plan.ts'
import { checkTypedLiteral } from '../../rule/parameter/typed-value.ts'
import { type LineCall, type LinesRequest, type UnreadableCall, updateCall } from './line-call.ts'
import { endsLines, LinesEnded } from './line-errors.ts'
import type { LineOutcomes } from './run-lines.ts'

/** What tells whether the item of a line exists: its id, or the value of a unique field. */
interface LineKey {
  readonly name: string
  readonly condition: Condition
}

/**
 * Lines of which no two have the same key, in their order: what the first of them writes must be
 * there when the next one is looked up.
 */
export function withoutDuplicates<Call extends LineCall | UnreadableCall>(
  request: LinesRequest,
  calls: readonly Call[],
): readonly (readonly Call[])[] {
  const groups: Call[][] = []
  let seen = new Set<string>()
  for (const call of calls) {
    const keys = call.payload ? [...idKeys(call), ...valueKeys(request, call)] : []
    const names = keys.map(({ name }) => name)
    if (groups.length === 0 || names.some((name) => seen.has(name))) {
      groups.push([])
      seen = new Set()
    }
    for (const name of names) seen.add(name)
    groups.at(-1)!.push(call)
  }
  return groups
}

/**
 * Makes changes of those lines whose item exists, as far as the caller may see it. A hidden one is
 * a conflict, as for any new item.
 * @throws LinesEnded
 */
export async function withUpdates<Call extends LineCall | UnreadableCall>(
  request: LinesRequest,
  calls: readonly Call[],
  outcomes: LineOutcomes,
): Promise<readonly (Call | LineCall)[]> {
  const { updateEndpoint } = request
  if (!updateEndpoint) return calls
  const resolved: (Call | LineCall)[] = []
  for (const call of calls) {
    try {
      const id = call.payload && (await existingId(request, call))
      const isNew = !call.payload || id === undefined
      resolved.push(isNew ? call : updateCall(request, updateEndpoint, call, id))
    } catch (error) {
      if (endsLines(error)) throw new LinesEnded(error)
      outcomes.set(call.line, { kind: 'failed', error })
    }
  }
  return resolved
}

async function existingId(request: LinesRequest, call: LineCall): Promise<string | undefined> {
  const { services, context, endpoint } = request
  const { store, guards } = services
  const { model } = endpoint
  const seen = guards.readCondition(model, context)
  for (const { condition } of call.payload.id ? idKeys(call) : valueKeys(request, call)) {
    // As in filters: who may not read a value of an item does not find the item by it.
    const guarded = mapPaths(condition, (path) => guardPath(path, model, guards, context))
    const item = await store.find(model, allOf([guarded, seen]), context)
    if (item) return item.id
  }
  return undefined
}

function idKeys({ payload: { id } }: LineCall): readonly LineKey[] {
  if (!id) return []
  return [{ name: JSON.stringify(['id', id.value]), condition: idEquals(id.value) }]
}

function valueKeys({ endpoint }: LinesRequest, { payload }: LineCall): readonly LineKey[] {
  return uniqueFields(endpoint.rule.view).flatMap((field) => {
    const value = comparable(field, payload.values.get(field.name)?.value)
    if (value === undefined) return []
    const path = toFieldPath(field.name)
    return [
      {
        name: JSON.stringify([field.name, value]),
        condition: { kind: 'compare', path, operator: 'equal', value } as const,
      },
    ]
  })
}

const uniqueFields = memoizeBy((view: ModelView) =>
  view.model.valueFields.filter((field) => field.isUnique && isReadable(view, field)),
)

/** Undefined for a value that the field cannot have, which is refused later. */
function comparable({ type }: ValueField, value: unknown): Scalar | undefined {
  const isLiteral =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  if (!isLiteral || !isScalar(type)) return undefined
  const typed = checkTypedLiteral(type, value)
  return typed.kind === 'value' ? typed.value : undefined
}
