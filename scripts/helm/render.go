// Renders a chart like Helm, for machines without it: Go's text/template with sprig and Helm's functions.
//
//	render CHART RELEASE NAMESPACE VALUES.json
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/ghodss/yaml"
)

type object = map[string]interface{}

func main() {
	out, err := render(os.Args[1], os.Args[2], os.Args[3], os.Args[4])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(out)
}

func render(folder, release, namespace, given string) (string, error) {
	chart, values, own := object{}, object{}, object{}
	for path, into := range map[string]*object{
		filepath.Join(folder, "Chart.yaml"):  &chart,
		filepath.Join(folder, "values.yaml"): &values,
		given:                                &own,
	} {
		if err := read(path, into); err != nil {
			return "", err
		}
	}
	paths, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	if err != nil {
		return "", err
	}
	sort.Strings(paths)
	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(functions(root))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		if _, err := root.New(path).Parse(string(text)); err != nil {
			return "", err
		}
	}
	context := object{
		"Values":  merged(values, own),
		"Chart":   object{"Name": chart["name"], "Version": chart["version"], "AppVersion": chart["appVersion"]},
		"Release": object{"Name": release, "Namespace": namespace, "Service": "Helm", "IsInstall": true, "IsUpgrade": false, "Revision": 1},
	}
	return all(root, paths, context)
}

func all(root *template.Template, paths []string, context object) (string, error) {
	var out strings.Builder
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var text bytes.Buffer
		if err := root.ExecuteTemplate(&text, path, context); err != nil {
			return "", err
		}
		body := strings.ReplaceAll(text.String(), "<no value>", "")
		if strings.HasSuffix(name, ".yaml") && strings.TrimSpace(body) != "" {
			fmt.Fprintf(&out, "---\n# Source: %s\n%s\n", name, strings.TrimPrefix(strings.TrimSpace(body), "---\n"))
		}
	}
	return out.String(), nil
}

func read(path string, into *object) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Given values override the defaults; null removes a value.
func merged(base, over object) object {
	for key, value := range over {
		inner, isObject := value.(map[string]interface{})
		under, wasObject := base[key].(map[string]interface{})
		switch {
		case value == nil:
			delete(base, key)
		case isObject && wasObject:
			base[key] = merged(under, inner)
		default:
			base[key] = value
		}
	}
	return base
}

func functions(root *template.Template) template.FuncMap {
	all := sprig.TxtFuncMap()
	delete(all, "env")
	delete(all, "expandenv")
	all["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(string(text), "\n")
	}
	all["toJson"] = func(value interface{}) string {
		text, _ := json.Marshal(value)
		return string(text)
	}
	all["required"] = func(message string, value interface{}) (interface{}, error) {
		if text, isText := value.(string); value == nil || (isText && text == "") {
			return value, errors.New(message)
		}
		return value, nil
	}
	all["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := root.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	return all
}
