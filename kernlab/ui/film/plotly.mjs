// Plotly's script, which a page runs once: when the page has nothing else to do, or when the first chart asks for it.

let plotly;

export function load(address) {
  plotly ??= new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src: address });
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => { plotly = undefined; reject(new Error("plotly.js could not be loaded")); };
    document.head.append(script);
  });
  return plotly;
}
