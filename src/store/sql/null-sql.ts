import type { ScalarSql } from './compile-path.ts'
import { allOfSql, anyOfSql, falseSql, trueSql } from './logic.ts'

/** Do clients see the value as null? */
export function isShownAsNullSql(scalar: ScalarSql): string {
  const isUnshown = scalar.native?.isUnshown?.(scalar.sql)
  return anyOfSql([isNullSql(scalar), ...(isUnshown === undefined ? [] : [isUnshown])])
}

export function isShownSql(scalar: ScalarSql): string {
  const isUnshown = scalar.native?.isUnshown?.(scalar.sql)
  return allOfSql([isNotNullSql(scalar), ...(isUnshown === undefined ? [] : [`not ${isUnshown}`])])
}

export function isNullSql(scalar: ScalarSql): string {
  return scalar.isNullable ? `${firstValueSql(scalar)} is null` : falseSql
}

export function isNotNullSql(scalar: ScalarSql): string {
  return scalar.isNullable ? `${firstValueSql(scalar)} is not null` : trueSql
}

/** The values of a row are null together. */
function firstValueSql({ sql, parts }: ScalarSql): string {
  return parts?.[0] ?? sql
}
