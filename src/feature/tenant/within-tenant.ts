import type { AccessExpression, AccessOperand, AccessRules } from '../../access/access-rules.ts'
import { isAboutBefore } from '../../access/parts-of-expression.ts'

/** To whom an item belongs, of the tenants of a service. */
export interface Tenant {
  /** The field of each model that holds the tenant. */
  readonly field: string
  /** The member of the caller that it equals. */
  readonly operand: Extract<AccessOperand, { kind: 'caller' }>
}

/** The rules of a model, within the tenant of the caller. The field of the tenant is hidden. */
export function withinTenant(
  { field, operand }: Tenant,
  rules: AccessRules | undefined,
  isClosed: boolean,
): AccessRules {
  const isOwn = (kind: 'item' | 'before'): AccessExpression => ({
    kind: 'compare',
    operator: 'equal',
    left: { kind, path: [field] },
    right: operand,
  })
  const byDefault: AccessExpression = { kind: isClosed ? 'nobody' : 'anyone' }
  const within = (rule: AccessExpression | undefined): AccessExpression => ({
    kind: 'and',
    // In a rule that names `before`, `item` is the outcome alone.
    expressions: [
      isOwn('item'),
      ...(rule && isAboutBefore(rule) ? [isOwn('before')] : []),
      rule ?? byDefault,
    ],
  })
  const nobody: AccessExpression = { kind: 'nobody' }
  return {
    read: within(rules?.read),
    create: within(rules?.create),
    update: within(rules?.update),
    delete: within(rules?.delete),
    // The others hold besides `read`, or their default is one of these.
    ...(rules?.readVersions && { readVersions: rules.readVersions }),
    ...(rules?.restoreVersion && { restoreVersion: within(rules.restoreVersion) }),
    ...(rules?.readTrash && { readTrash: rules.readTrash }),
    ...(rules?.restore && { restore: within(rules.restore) }),
    ...(rules?.purge && { purge: rules.purge }),
    actions: rules?.actions ?? {},
    set: { ...rules?.set, [field]: operand },
    fields: { ...rules?.fields, [field]: { read: nobody, write: nobody } },
  }
}
