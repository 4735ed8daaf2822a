import type { Scalar } from '../../query/query-plan.ts'
import type { Dialect } from './dialect.ts'
import { textLiteral } from './text-literal.ts'

/** A condition with a value of the model in it, for indexes: these have no parameters. */
export function conditionSql(
  { binder }: Pick<Dialect, 'binder'>,
  column: string,
  value: Scalar,
): string {
  if (value === null) return `${column} is null`
  const bound = binder.scalar(value)
  const literal = typeof bound === 'string' ? textLiteral(bound) : String(bound)
  return `${column} = ${literal}`
}
