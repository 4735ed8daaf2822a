// An error that any function may throw; one catch block makes the response.

/** @type {Readonly<Record<number, string>>} */
const TITLES = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  500: 'Internal Server Error',
}

export class Problem extends Error {
  /**
   * @param {number} status
   * @param {string} detail
   */
  constructor(status, detail) {
    super(detail)
    this.status = status
  }

  /** @returns {string} application/problem+json */
  text() {
    return JSON.stringify({
      status: this.status,
      title: TITLES[this.status] ?? 'Error',
      detail: this.message,
    })
  }
}

/**
 * @param {unknown} error
 * @returns {Problem} for an unexpected error a plain 500; its message goes to the log only
 */
export function problemOf(error) {
  if (error instanceof Problem) return error
  console.error(error)
  return new Problem(500, 'The server failed.')
}
