import type { JobError } from './job-model.ts'

const maxErrors = 100

/** Less than an item may have. */
const maxErrorChars = 65_536

/** The first errors, as many as a job keeps. */
export function truncateErrors(errors: readonly JobError[]): readonly JobError[] {
  let chars = 0
  return errors.slice(0, maxErrors).filter((error, index) => {
    chars += JSON.stringify(error).length
    return index === 0 || chars <= maxErrorChars
  })
}
