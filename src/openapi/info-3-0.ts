import type { Info } from './document.ts'

/** OpenAPI 3.0 has no summary of the API, and identifies licenses by URL only. */
export function toInfo30({ summary: _, license, ...info }: Info): Info {
  if (!license) return info
  const { identifier, ...rest } = license
  return {
    ...info,
    license:
      identifier === undefined
        ? rest
        : { ...rest, url: `https://spdx.org/licenses/${identifier}.html` },
  }
}
