import type { ErrorCode } from '../../error/catalog.ts'
import type { WriteOperationInput } from '../operation-input.ts'
import { checkPreconditionsOf, preconditionErrors } from '../preconditions.ts'
import type { NamedResourceAccessor } from './find-resource.ts'

export const resourcePreconditionErrors: readonly ErrorCode[] = [...preconditionErrors]

/**
 * Checks the request's preconditions against the resource, whose tag is its hash (RFC 9110
 * §13.2.2).
 * @throws ApiError `precondition-failed`, or `precondition-required` if `If-Match` is required to
 * replace or clear a resource
 */
export function checkResourcePreconditions(
  input: WriteOperationInput,
  { resource, name }: NamedResourceAccessor,
): void {
  checkPreconditionsOf(input, {
    subject: `'${name}'`,
    exists: resource !== null,
    matches: ({ value, isWeak }) => !isWeak && value === resource?.hash,
    mismatchDetail: () =>
      resource
        ? `'${name}' was changed: If-Match does not match the current version. Fetch it again.`
        : `'${name}' is empty, so If-Match cannot match.`,
  })
}
