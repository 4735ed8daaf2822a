import { refuse } from '../error/api-error.ts'
import { failedPreconditionHeader } from '../http/headers/precondition.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { WriteOperationInput } from './operation-input.ts'

/**
 * Holds the request's preconditions against the item as it is inside the transaction (RFC 9110
 * §13.2.2). The tag of any representation of the current version will do; a weak tag never guards a
 * write.
 * @param isCurrent for what has tags beside those of the item
 * @throws ApiError `precondition-failed`, or `precondition-required` where the model wants
 * `If-Match` and there is none (RFC 6585 §3).
 */
export function checkPreconditions(
  { precondition, requireMatch, view }: WriteOperationInput,
  item: StoredItem | undefined,
  isCurrent: (tag: string) => boolean = (tag) => item !== undefined && isCurrentVersion(item, tag),
): void {
  if (
    item &&
    requireMatch &&
    (precondition.kind === 'none' || precondition.kind === 'ifNoneMatch')
  ) {
    throw refuse(
      'precondition-required',
      `Send If-Match with the ETag of the ${view.model.name} as you know it.`,
      {
        header: 'If-Match',
      },
    )
  }
  const matches = (tag: { readonly isWeak: boolean; readonly value: string }) =>
    isCurrent(tag.value)
  const header = failedPreconditionHeader(precondition, { exists: item !== undefined, matches })
  if (header === undefined) return
  const namesNone =
    'tags' in precondition && precondition.tags !== 'any' && precondition.tags.length === 0
  const detail =
    header === 'If-None-Match'
      ? noneMatchDetail(view.model.name)
      : staleDetail(view.model.name, item)
  throw refuse('precondition-failed', namesNone ? noTagDetail : detail, { header })
}

const noTagDetail = 'If-Match names no entity tag; send it as ETag gives it, in double quotes.'

/** The tag of a representation starts with the version, and goes on after a dot. */
export function isCurrentVersion({ hash }: StoredItem, tag: string): boolean {
  return hash !== null && (tag === hash || tag.startsWith(`${hash}.`))
}

function noneMatchDetail(model: string): string {
  return `The ${model} is there, in a version that If-None-Match names; without the header it is written all the same.`
}

function staleDetail(model: string, item: StoredItem | undefined): string {
  if (!item) return `There is no such ${model}.`
  if (item.hash === null)
    return `Items of the model '${model}' have only weak tags, which cannot guard a write; If-Match: * can.`
  return `The ${model} is no longer the one that the tag names; fetch it again.`
}
