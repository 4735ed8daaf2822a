/** The name of a header in the usual capitalization: `Content-Type`. */
export function headerCase(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
}
